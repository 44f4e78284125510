#include "overture/data/id_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::data {

IdMap::IdMap(const Shape& shape, const IdOptions& options, const std::string& name)
    : shape_(shape), rules_(shape.tables()), dictionary_(options.dictionary) {
  if (dictionary_) {
    use_dictionary(name);
    return;
  }
  if (options.max_ind_range < 0) throw UserError({.key = "--max-ind-range"}, "must not be negative");
  if (!options.table_rows.empty() && options.table_rows.size() != shape.tables()) {
    throw UserError({.file = name}, fmt::format("has {} tables, but the sizes of {} are given",
                                                shape.tables(), options.table_rows.size()));
  }
  for (std::size_t t = 0; t < rules_.size(); ++t) {
    Rule& rule = rules_[t];
    std::int64_t& rows = shape_.table_rows[t];
    if (!options.table_rows.empty()) rows = options.table_rows[t];
    if (options.fold && rows == 0) {
      throw UserError({.file = name}, "ids can only be folded into tables whose sizes are known",
                      "give the sizes with --tables, or use --max-ind-range");
    }
    rule.first = options.max_ind_range;
    if (rule.first > 0) rows = rows == 0 ? rule.first : std::min(rows, rule.first);
    rule.second = options.fold ? rows : 0;
    rule.rows = rows;
  }
}

void IdMap::use_dictionary(const std::string& name) {
  if (dictionary_->tables() != shape_.tables())
    throw UserError({.file = name}, fmt::format("has {} tables, but the ids of {} are known", shape_.tables(),
                                                dictionary_->tables()));
  for (std::size_t t = 0; t < shape_.tables(); ++t) shape_.table_rows[t] = dictionary_->rows(t);
}

}  // namespace overture::data
