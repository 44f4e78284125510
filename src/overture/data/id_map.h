// IdMap: brings the ids of a dataset into the tables of a model, only as far as the user asks for it: ids
// beyond a table are an error unless they are to be folded into it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "overture/data/id_dictionary.h"
#include "overture/data/shape.h"

namespace overture::data {

struct IdOptions {
  std::int64_t max_ind_range = 0;        // ids modulo this in every table, as DLRM's flag; 0: as they are
  std::vector<std::int64_t> table_rows;  // what the tables hold; empty: what the dataset says
  bool fold = false;                     // ids modulo the rows of their table
  std::shared_ptr<const IdDictionary> dictionary{};  // instead of all these: a row for every id that it has

  bool changes_ids() const { return max_ind_range > 0 || fold || dictionary; }
};

class IdMap {
 public:
  // Throws UserError when the tables are not as many as the dataset's; `name` is the dataset's.
  IdMap(const Shape& shape, const IdOptions& options, const std::string& name);

  // With the rows that remain.
  const Shape& shape() const { return shape_; }
  // The row of the table, or -1 when the table has no such row.
  std::int64_t map(std::size_t table, std::int64_t id) const {
    if (dictionary_) return dictionary_->row(table, id);
    const Rule& rule = rules_[table];
    if (id < 0) return -1;
    if (rule.first > 0) id %= rule.first;
    if (rule.second > 0) id %= rule.second;
    return rule.rows > 0 && id >= rule.rows ? -1 : id;
  }

 private:
  void use_dictionary(const std::string& name);

  struct Rule {
    std::int64_t first = 0;   // divisor; 0: none
    std::int64_t second = 0;  // divisor; 0: none
    std::int64_t rows = 0;
  };
  Shape shape_;
  std::vector<Rule> rules_;
  std::shared_ptr<const IdDictionary> dictionary_;
};

}  // namespace overture::data
