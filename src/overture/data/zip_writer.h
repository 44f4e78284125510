// ZipWriter: a zip archive of stored members, as numpy and torch read them. Members are given twice: to know
// their checksum, and to write them. A member's bytes start at multiples of 64, so that they can be mapped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "overture/base/whole_file.h"

namespace overture::data {

class ZipWriter {
 public:
  // Throws UserError when the file cannot be written, as all of these do.
  explicit ZipWriter(const std::filesystem::path& path) : file_(path) {}

  using Sink = std::function<void(std::span<const std::byte>)>;
  // `produce` gives the member's bytes to a sink, the same whenever it is called.
  void add(const std::string& name, const std::function<void(const Sink&)>& produce);
  void add(const std::string& name, const std::string& text);
  void finish();

 private:
  struct Member {
    std::string name;
    std::uint32_t crc;
    std::uint64_t size;
    std::uint64_t offset;
  };

  WholeFile file_;
  std::vector<Member> members_;
};

}  // namespace overture::data
