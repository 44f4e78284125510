// Lookups: which rows the samples of a batch look up, in the two orders that training needs: by sample to
// pool, and by row to add up gradients. Made once per batch from numbers that a planner or a cache has given
// to the batch's different rows; knows neither ids nor where rows lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/embedding/kernels.h"
#include "overture/embedding/tables.h"
#include "overture/embedding/workers.h"

namespace overture::embedding {

// The lookups of one table: `offsets` may be empty, for one lookup a sample. `weights` are for the pooling
// `weighted`; others pass over them.
struct TableLookups {
  std::span<const std::uint32_t> rows;  // numbers of rows, sample after sample
  std::span<const std::uint32_t> offsets;
  std::span<const float> weights;
};

// The gradient of what one table was pooled to: where sample 0's is, and how many floats further the next
// sample's. So a gradient can lie wherever it was made.
struct TableGradients {
  const float* data = nullptr;
  std::int64_t stride = 0;
};

class Lookups {
 public:
  // Takes a new batch, whose `tables` must stay until the next one. Rows are numbered from 0 to before
  // `rows`, such that the rows of a table stand together and tables in their order.
  void assign(const TablesConfig& config, std::int64_t samples, std::uint32_t rows,
              std::span<const TableLookups> tables);

  // Pools into `out`, samples x width, each table's columns beside those of the one before.
  void pool(std::span<float* const> rows, std::span<float> out, Workers& workers) const;

  // The gradient of every row, `gradients` being those of what pool() made, by table; then
  void update(const UpdateRule& rule, std::span<const TableGradients> gradients, std::span<float* const> rows,
              Workers& workers);  // updates it, in place,
  void sum(std::span<const TableGradients> gradients, std::span<float* const> sums,
           Workers& workers);  // or keeps it
  // Gradients that lie as pool() made what they are of.
  std::span<const TableGradients> as_pooled(std::span<const float> gradients);

 private:
  struct Table {
    TableLookups lookups;
    const float* scales = nullptr;  // by sample
    std::int32_t dim = 0;
    std::int64_t column = 0;
    std::uint32_t first_row = 0;  // of the batch
    std::uint32_t last_row = 0;
  };

  WorkNumbers work() const;
  void scale(const TableConfig& config, Table& table);
  void arrange(std::span<const TableGradients> gradients);
  void place(const Table& table, std::int64_t stride);
  SumJob job(const Table& table, const float* gradients, std::int64_t from, std::int64_t to) const;
  template <class Work>
  void each_part(std::int64_t grain, Workers& workers, Work work) const;

  std::vector<Table> tables_;
  std::int64_t samples_ = 0;
  std::int64_t width_ = 0;
  bool scaled_ = false;
  std::vector<std::vector<float>> mean_scales_;  // per table, by sample
  std::vector<std::uint32_t> starts_;            // by row, rows+1
  std::vector<std::uint32_t> next_;
  std::vector<std::uint64_t> places_;  // by row and lookup
  std::vector<TableGradients> as_pooled_;
  std::vector<float> scales_;  // by row and lookup, when scaled_
};

}  // namespace overture::embedding
