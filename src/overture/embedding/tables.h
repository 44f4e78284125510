// Tables: the rows of all embedding tables, or the share of them that one of several servers holds, in one
// arena. A row is its numbers followed by what the optimizer remembers of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "overture/base/words.h"
#include "overture/embedding/arena.h"
#include "overture/embedding/optimizer.h"
#include "overture/embedding/sharding.h"
#include "overture/embedding/workers.h"

namespace overture::embedding {

// Of the rows that a sample looks up; `weighted` is a sum with a factor of every lookup's own.
enum class Pooling : std::uint8_t { sum, mean, weighted };
constexpr auto vocabulary(Pooling) {
  return std::to_array<Word<Pooling>>({
      {Pooling::sum, "sum"},
      {Pooling::mean, "mean"},
      {Pooling::weighted, "weighted"},
  });
}

struct TableConfig {
  std::int64_t rows = 0;
  std::int32_t dim = 16;
  Pooling pooling = Pooling::sum;

  bool operator==(const TableConfig&) const = default;
};

struct TablesConfig {
  std::vector<TableConfig> tables;
  OptimizerConfig optimizer;
  std::uint64_t seed = 0;
  std::filesystem::path file;  // holds the rows when they are more than the memory; empty: memory

  // How the rows of every table lie.
  std::vector<RowLayout> layouts() const;
  // Columns of all pooled tables side by side.
  std::int64_t width() const;
};

// Throws UserError that names the table and the value.
void validate(const TablesConfig& config);

class Tables {
 public:
  // Makes the rows, all at their initial values. Throws UserError or std::bad_alloc when they do not fit.
  Tables(TablesConfig config, const Share& share, Workers& workers);

  const TablesConfig& config() const { return config_; }
  const Share& share() const { return share_; }
  const TableShare& held(std::int64_t table) const { return parts_[static_cast<std::size_t>(table)].held; }

  // The numbers of a row that are held here; needs one that is.
  float* row(std::int64_t table, std::int64_t id) {
    const Part& part = parts_[static_cast<std::size_t>(table)];
    return arena_.floats() + part.start +
           static_cast<std::size_t>(part.held.place(id)) * static_cast<std::size_t>(part.stride);
  }
  // All that is held of a table, row after row.
  std::span<float> all(std::int64_t table) {
    const Part& part = parts_[static_cast<std::size_t>(table)];
    return {arena_.floats() + part.start,
            static_cast<std::size_t>(part.held.rows) * static_cast<std::size_t>(part.stride)};
  }

  std::size_t bytes() const { return arena_.size(); }
  float* data() { return arena_.floats(); }

  // Bytes that tables take, before they are made.
  static std::size_t bytes(const TablesConfig& config, const Share& share);

 private:
  struct Part {
    TableShare held;
    std::int32_t stride;
    std::size_t start;  // floats from the arena's begin
  };

  void initialise(Workers& workers);

  TablesConfig config_;
  Share share_;
  std::vector<Part> parts_;
  Arena arena_;
};

}  // namespace overture::embedding
