// IdDictionary: a row for every id that a dataset has, for datasets whose ids are hashes, such as Criteo's
// click logs. Row 0 of a table is for everything else: what is missing, and what the dictionary never saw.
// Kept in a file beside the model that was trained with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "overture/data/batch.h"

namespace overture::data {

class IdDictionary {
 public:
  // Throws UserError when the file cannot be read or is none.
  static IdDictionary load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  std::size_t tables() const { return tables_.size(); }
  std::int64_t rows(std::size_t table) const { return std::ssize(tables_[table].ids) + 1; }
  std::int64_t ids() const;  // over all tables
  // 0 for an id that is not in it.
  std::int64_t row(std::size_t table, std::int64_t id) const;

 private:
  friend class IdCollector;
  struct Table {
    std::vector<std::uint32_t> ids;     // ascending
    std::vector<std::uint32_t> starts;  // of the ids whose top bits are the index; one more at the end
    int shift = 32;                     // how many low bits an index leaves out
  };
  static Table make_table(std::vector<std::uint32_t> ascending);

  std::vector<Table> tables_;
};

// Takes batches and gives the dictionary of all their ids.
class IdCollector {
 public:
  explicit IdCollector(std::size_t tables) : tables_(tables) {}

  // Throws UserError for an id that is not a hash of 32 bits.
  void add(const Batch& batch);
  // Distinct ids so far, about: doubles are dropped now and then.
  std::int64_t held() const;
  IdDictionary finish();

 private:
  struct Table {
    std::vector<std::uint32_t> ids;
    std::size_t distinct = 0;  // of the first ones: ascending and without doubles
  };
  static void tidy(Table& table);

  std::vector<Table> tables_;
};

}  // namespace overture::data
