#include "overture/lookahead/plan_file.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/lookahead/plan_code.h"

namespace overture::lookahead {
namespace {

// The file: the magic word, then blocks of a length (8 bytes), a CRC-32 (4 bytes) and that many bytes,
// numbers with the low byte first. The first block is the header, one follows per step, and an empty one ends
// the file.
constexpr std::string_view kMagic = "overture plan 1\n";
constexpr std::size_t kFrame = 12;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

void put(unsigned char* into, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[i] = static_cast<unsigned char>(value >> 8 * i);
}

std::uint64_t number(const unsigned char* from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{from[i]} << 8 * i;
  return value;
}

}  // namespace

PlanWriter::PlanWriter(std::filesystem::path path, const PlannerConfig& config) : file_(std::move(path)) {
  file_.write(kMagic);
  encode(config, block_);
  write_block();
}

void PlanWriter::write(const StepPlan& plan) {
  block_.clear();
  encode(plan, block_);
  write_block();
}

void PlanWriter::finish() {
  block_.clear();
  write_block();
  file_.close();
}

void PlanWriter::write_block() {
  unsigned char frame[kFrame];
  put(frame, block_.size(), 8);
  put(frame + 8, checksum(block_), 4);
  file_.write(frame, kFrame);
  file_.write(block_);
}

PlanReader::PlanReader(const std::filesystem::path& path) : path_(path.string()) {
  std::error_code error;
  left_ = std::filesystem::file_size(path, error);
  if (error) throw UserError({.file = path_}, "cannot be read: " + error.message());
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw UserError({.file = path_}, std::string("cannot be read: ") + std::strerror(errno));
  std::string magic(kMagic.size(), '\0');
  if (left_ < magic.size()) fail("is not a plan");
  read(magic.data(), magic.size());
  if (magic.substr(0, kMagic.size() - 2) != kMagic.substr(0, kMagic.size() - 2)) fail("is not a plan");
  if (magic != kMagic) fail("is a plan of another version; this program reads version 1");
  read_block();
  if (!decode(block_, config_)) fail("has a damaged header");
}

bool PlanReader::next(StepPlan& plan) {
  if (ended_) return false;
  read_block();
  if (block_.empty()) {
    if (left_ != 0) fail("has data after its end");
    ended_ = true;
    return false;
  }
  if (!decode(block_, config_, plan)) fail(fmt::format("is damaged in step {}", steps_));
  ++steps_;
  return true;
}

void PlanReader::read(void* into, std::size_t size) {
  if (size > left_ || std::fread(into, 1, size, file_.get()) != size) {
    fail(fmt::format("is cut short after {} steps", steps_));
  }
  left_ -= size;
}

// The length is compared with what is left before any memory is taken for it.
void PlanReader::read_block() {
  unsigned char frame[kFrame];
  read(frame, kFrame);
  const std::uint64_t size = number(frame, 8);
  if (size > left_) fail(fmt::format("is cut short or damaged after {} steps", steps_));
  block_.resize(size);
  read(block_.data(), size);
  if (checksum(block_) != number(frame + 8, 4)) fail(fmt::format("is damaged after {} steps", steps_));
}

void PlanReader::fail(const std::string& what) const {
  throw UserError({.file = path_}, what, "make the plan again");
}

}  // namespace overture::lookahead
