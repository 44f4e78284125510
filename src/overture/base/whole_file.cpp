#include "overture/base/whole_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture {
namespace {

constexpr std::size_t kFlushAt = 1 << 18;

}  // namespace

WholeFile::WholeFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  if (std::filesystem::is_directory(path_))
    throw UserError({.file = path_.string()}, "is a folder, not a file");
  partial_ += ".part" + std::to_string(getpid());
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

WholeFile::~WholeFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void WholeFile::fail(int why) {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  throw UserError({.file = path_.string()}, std::string("cannot be written: ") + std::strerror(why));
}

void WholeFile::write_at(std::int64_t place, const char* data, std::size_t size) {
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

void WholeFile::flush() {
  write_at(size_ - static_cast<std::int64_t>(pending_.size()), pending_.data(), pending_.size());
  pending_.clear();
}

void WholeFile::write(const void* data, std::size_t size) {
  if (size >= kFlushAt) {  // without a copy
    flush();
    write_at(size_, static_cast<const char*>(data), size);
    size_ += static_cast<std::int64_t>(size);
    return;
  }
  pending_.append(static_cast<const char*>(data), size);
  size_ += static_cast<std::int64_t>(size);
  if (pending_.size() >= kFlushAt) flush();
}

void WholeFile::write_front(const void* data, std::size_t size) {
  flush();
  check(static_cast<std::int64_t>(size) <= size_, "the front is written over, not extended");
  write_at(0, static_cast<const char*>(data), size);
}

void WholeFile::close() {
  flush();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);  // a pipe or device has nothing to sync
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  std::error_code error;
  std::filesystem::rename(partial_, path_, error);
  if (error) fail(error.value());
  sync_folder(path_.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace overture
