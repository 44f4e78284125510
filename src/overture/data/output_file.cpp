#include "overture/data/output_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::data {
namespace {

constexpr std::size_t kFlushAt = 1 << 18;

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  if (std::filesystem::is_directory(path_))
    throw UserError({.file = path_.string()}, "is a folder, not a file");
  partial_ += ".part" + std::to_string(getpid());
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void OutputFile::fail(int why) {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    descriptor_ = -1;
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }
  throw UserError({.file = path_.string()}, std::string("cannot be written: ") + std::strerror(why));
}

void OutputFile::write_at(std::int64_t place, const char* data, std::size_t size) {
  check(descriptor_ >= 0, "a closed file is not written to");
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, data, size, place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : ENOSPC);
    data += written;
    place += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::flush() {
  write_at(size_ - static_cast<std::int64_t>(pending_.size()), pending_.data(), pending_.size());
  pending_.clear();
}

void OutputFile::write(const void* data, std::size_t size) {
  pending_.append(static_cast<const char*>(data), size);
  size_ += static_cast<std::int64_t>(size);
  if (pending_.size() >= kFlushAt) flush();
}

void OutputFile::write_front(const void* data, std::size_t size) {
  flush();
  check(static_cast<std::int64_t>(size) <= size_, "the front is written over, not extended");
  write_at(0, static_cast<const char*>(data), size);
}

void OutputFile::close() {
  flush();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);  // a pipe or device has nothing to sync
  std::error_code error;
  std::filesystem::rename(partial_, path_, error);
  if (error) fail(error.value());
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace overture::data
