#include "overture/embedding/arena.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture::embedding {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
  throw UserError({.file = file.string()}, std::string(what) + ": " + std::strerror(errno));
}

// The end of a file of tables, by which one is told from a user's file that was named by mistake.
constexpr std::string_view kMark = "overture tables\n";

bool may_be_replaced(int descriptor) {
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size == 0) return true;
  std::array<char, kMark.size()> end{};
  return pread(descriptor, end.data(), end.size(), size - static_cast<off_t>(end.size())) ==
             std::ssize(end) &&
         std::string_view(end.data(), end.size()) == kMark;
}

// An empty file becomes one of zeros with the mark behind them. Returns what went wrong, as errno. Reserving
// the blocks now turns a full disk into a message, not into a signal in the middle of training.
int make_room(int descriptor, std::size_t size) {
  const auto end = static_cast<off_t>(size);
  if (ftruncate(descriptor, 0) != 0) return errno;
  const ssize_t written = pwrite(descriptor, kMark.data(), kMark.size(), end);
  if (written != std::ssize(kMark)) return written < 0 ? errno : ENOSPC;
  return size == 0 ? 0 : posix_fallocate(descriptor, 0, end);
}

}  // namespace

// One huge page more than asked for, so that the part that is used starts at one.
Arena::Arena(std::size_t size) : size_(size) {
  if (size == 0) return;
  mapped_size_ = rounded_up(size, kHugePage) + kHugePage;
  mapped_ =
      mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  const auto start = rounded_up(reinterpret_cast<std::uintptr_t>(mapped_), kHugePage);
  data_ = reinterpret_cast<void*>(start);
  madvise(data_, rounded_up(size, kHugePage), MADV_HUGEPAGE);  // a hint: without it, it is only slower
}

Arena::Arena(std::size_t size, const std::filesystem::path& file) : size_(size), lock_(file) {
  if (std::error_code error; !std::filesystem::is_regular_file(file, error))
    throw UserError({.file = file.string()}, "is no file", "name a new one for the tables");
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(file, "cannot be created");
  if (!may_be_replaced(descriptor)) {
    close(descriptor);
    throw UserError({.file = file.string()}, "is there already, and is no file of tables",
                    "name a new one for the tables, or remove it");
  }
  const int error = make_room(descriptor, size);
  if (error == 0 && size > 0) {
    mapped_size_ = size;
    mapped_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (error != 0 || mapped_ == MAP_FAILED) {
    if (error != 0) errno = error;
    mapped_ = nullptr;
    std::error_code ignored;
    const int why = errno;
    std::filesystem::remove(file, ignored);
    errno = why;
    fail(file, "has no room for the tables");
  }
  data_ = mapped_;
  if (size > 0) madvise(mapped_, size, MADV_RANDOM);
}

Arena::~Arena() { release(); }

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  mapped_ = std::exchange(other.mapped_, nullptr);
  mapped_size_ = std::exchange(other.mapped_size_, 0);
  lock_ = std::move(other.lock_);
  return *this;
}

void Arena::release() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
  mapped_ = data_ = nullptr;
}

}  // namespace overture::embedding
