// Tables: the rows of all embedding tables, or the share of them that one of several servers holds, in one
// arena. A row is its numbers followed by what the optimizer remembers of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "overture/embedding/arena.h"
#include "overture/embedding/optimizer.h"
#include "overture/embedding/workers.h"

namespace overture::embedding {

// Of the rows that a sample looks up; `weighted` is a sum with a factor of every lookup's own.
enum class Pooling : std::uint8_t { sum, mean, weighted };

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

// Which rows of each table are held: those whose id gives `index` when divided by `count`.
struct Share {
  int index = 0;
  int count = 1;

  std::int64_t rows(std::int64_t table_rows) const { return (table_rows - index + count - 1) / count; }
};

class Tables {
 public:
  // Makes the rows, all at their initial values. Throws UserError or std::bad_alloc when they do not fit.
  Tables(TablesConfig config, Share share, Workers& workers);

  const TablesConfig& config() const { return config_; }
  Share share() const { return share_; }
  const RowLayout& layout(std::int64_t table) const { return parts_[static_cast<std::size_t>(table)].layout; }

  // Needs an id of this share.
  float* row(std::int64_t table, std::int64_t id) {
    const Part& part = parts_[static_cast<std::size_t>(table)];
    return arena_.floats() + part.start +
           static_cast<std::size_t>(id / share_.count) * static_cast<std::size_t>(part.layout.stride);
  }

  std::size_t bytes() const { return arena_.size(); }
  float* data() { return arena_.floats(); }

  // Bytes that tables take, before they are made.
  static std::size_t bytes(const TablesConfig& config, Share share);

 private:
  struct Part {
    RowLayout layout;
    std::size_t start;  // floats from the arena's begin
  };

  void initialise(Workers& workers);

  TablesConfig config_;
  Share share_;
  std::vector<Part> parts_;
  Arena arena_;
};

}  // namespace overture::embedding
