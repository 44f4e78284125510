// NpyArray: the numbers of one of numpy's arrays, read from front to back. Integers and floats, in C order,
// little-endian: what a dataset is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "overture/base/error.h"
#include "overture/data/byte_source.h"

namespace overture::data {

class NpyArray {
 public:
  // `where` names the array in errors. Throws UserError when it is none, or of a type not known here.
  NpyArray(std::unique_ptr<ByteSource> source, Where where);

  const std::vector<std::int64_t>& shape() const { return shape_; }
  // One more; throws UserError when the array is cut short.
  double next();
  Position position() const { return source_->position(); }

 private:
  std::string read_header();
  void refill();

  std::unique_ptr<ByteSource> source_;
  Where where_;
  std::vector<std::int64_t> shape_;
  char kind_ = 'i';  // i, u, f or b, as numpy writes them
  std::size_t width_ = 4;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace overture::data
