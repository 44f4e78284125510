// What a trainer's batch looks like from Python: arrays that lie where the batch came, without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "overture/data/batch.h"
#include "overture/rpc/message.h"
#include "overture/train/step_part.h"

namespace overture::python {

namespace py = pybind11;

// Good for as long as anybody holds it or one of its arrays.
class BatchArrays {
 public:
  BatchArrays(std::shared_ptr<const rpc::Message> message, train::StepPart part, std::int64_t step);

  std::int64_t step() const { return step_; }
  std::int64_t samples() const { return part_.head.samples; }
  std::int64_t global_samples() const { return part_.head.global_samples; }
  std::size_t tables() const { return part_.tables.size(); }
  py::array dense() const;   // samples x features
  py::array labels() const;  // samples x 1
  // Of one table: ids are put together anew from the plan's numbers; without offsets every sample has one.
  py::array ids(std::size_t table) const;
  py::object offsets(std::size_t table) const;
  py::object weights(std::size_t table) const;

 private:
  py::array view(std::span<const float> numbers, std::vector<py::ssize_t> shape) const;

  std::shared_ptr<const rpc::Message> message_;
  train::StepPart part_;
  std::int64_t step_;
};

// Memory for pooled rows: used again once no array points to it any more.
class FloatPool : public std::enable_shared_from_this<FloatPool> {
 public:
  py::array_t<float> take(std::int64_t rows, std::int64_t columns);

 private:
  struct Block {
    std::unique_ptr<float[]> memory;
    std::size_t size;
  };
  struct Loan;

  std::vector<Block> free_;
};

// A batch of the user's own: (dense, labels, [(ids, offsets or None, weights or None), ...]). Throws
// UserError that says which array is wrong.
data::Batch batch_of(const py::array& dense, const py::array& labels, const py::list& tables,
                     const std::vector<std::int64_t>& rows, std::int64_t number);

}  // namespace overture::python
