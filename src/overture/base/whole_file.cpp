#include "overture/base/whole_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "overture/base/check.h"
#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/interrupt.h"

namespace overture {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFlushAt = 1 << 18;

// Where a link leads, lest the file take the place of the link.
fs::path followed(fs::path path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

}  // namespace

WholeFile::WholeFile(fs::path path) : path_(followed(std::move(path))), partial_(path_) {
  std::error_code error;
  const fs::file_status there = fs::status(path_, error);
  if (fs::is_directory(there)) throw UserError({.file = path_.string()}, "is a folder, not a file");
  if (!fs::exists(there) || fs::is_regular_file(there)) partial_ += ".part" + std::to_string(getpid());
  Interrupt::sign_of_life();
  descriptor_ = disk().create(partial_);
  if (descriptor_ < 0) fail(errno);
}

WholeFile::~WholeFile() {
  if (descriptor_ < 0) return;
  disk().close(descriptor_);
  remove_partial();
}

void WholeFile::remove_partial() {
  if (partial_ != path_) disk().remove(partial_);
}

void WholeFile::fail(int why) {
  if (descriptor_ >= 0) disk().close(std::exchange(descriptor_, -1));
  remove_partial();
  throw UserError({.file = path_.string()}, std::string("cannot be written: ") + std::strerror(why));
}

void WholeFile::write_at(std::int64_t place, const char* data, std::size_t size) {
  check(descriptor_ >= 0, "a closed file is not written to");
  while (size > 0) {
    const std::int64_t written = disk().write(descriptor_, place, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : ENOSPC);
    data += written;
    place += written;
    size -= static_cast<std::size_t>(written);
  }
}

void WholeFile::flush() {
  Interrupt::sign_of_life();
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
  if (partial_ == path_) fail(ESPIPE);
  write_at(0, static_cast<const char*>(data), size);
}

void WholeFile::close() {
  flush();
  if (!disk().sync(descriptor_) && errno != EINVAL) fail(errno);  // a pipe or device has nothing to sync
  if (!disk().close(std::exchange(descriptor_, -1))) fail(errno);
  if (partial_ == path_) return;
  if (!disk().rename(partial_, path_)) fail(errno);
  sync_folder(path_.parent_path());
}

void sync_folder(const std::filesystem::path& folder) { disk().sync_folder(folder); }

}  // namespace overture
