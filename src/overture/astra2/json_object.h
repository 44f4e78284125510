// A JSON file of ASTRA-sim 2's: an object that says what it was asked for and did not have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"

namespace overture::astra2 {

class JsonObject {
 public:
  explicit JsonObject(const std::string& file) : file_(file), json_(parse_json(read_file(file))) {
    if (json_.is_discarded()) throw UserError({.file = file}, "is not JSON");
    if (!json_.is_object()) throw UserError({.file = file}, "is not a JSON object");
  }

  bool has(const std::string& key) const { return json_.contains(key); }
  const Json& at(const std::string& key) const { return json_.at(key); }
  const Json& all() const { return json_; }

  double number(const std::string& key, double otherwise, double least = 0) const {
    if (!has(key)) return otherwise;
    const Json& value = at(key);
    if (!value.is_number()) fail(key, "is not a number");
    const double number = value.get<double>();
    if (!(number >= least) || number > 1e15) fail(key, fmt::format("must be at least {}", least));
    return number;
  }
  // Cut to a whole number, as the original's conversion does.
  std::int64_t whole(const std::string& key, std::int64_t otherwise, std::int64_t least = 0) const {
    return static_cast<std::int64_t>(number(key, static_cast<double>(otherwise), static_cast<double>(least)));
  }
  bool flag(const std::string& key) const {
    if (!has(key)) return false;
    if (at(key).is_boolean()) return at(key).get<bool>();
    return number(key, 0, -1e15) != 0;
  }
  std::string text(const std::string& key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!at(key).is_string()) fail(key, "is not a text");
    return at(key).get<std::string>();
  }
  std::vector<std::string> texts(const std::string& key) const {
    std::vector<std::string> list;
    if (!has(key)) return list;
    if (!at(key).is_array()) fail(key, "is not a list", "one text per dimension, such as [\"ring\"]");
    for (const Json& value : at(key)) {
      if (!value.is_string()) fail(key, "is not a list of texts");
      list.push_back(value.get<std::string>());
    }
    return list;
  }
  [[noreturn]] void fail(const std::string& key, std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = file_, .key = key}, what, hint);
  }

 private:
  std::string file_;
  Json json_;
};

}  // namespace overture::astra2
