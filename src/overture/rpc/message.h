// Message: what the roles of training send each other: a kind and a step, which the roles give a meaning, and
// bytes. Knows nothing of training; a message is the same between threads as between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace overture::rpc {

// Memory of somebody else's, such as an engine's in which a message came: `release` takes it back.
struct Lent {
  void* memory = nullptr;
  void* owner = nullptr;
  void (*release)(void* owner) = nullptr;
};

// Leaves bytes as they are when a buffer grows: they are written anyway. One that is made of lent memory lets
// a buffer start there, without a copy; a buffer that grows beyond it has memory of its own.
template <class T>
class Uninitialised {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  Uninitialised() = default;
  explicit Uninitialised(Lent lent) : lent_(lent), unused_(true) {}
  Uninitialised(const Uninitialised&) = default;
  Uninitialised& operator=(const Uninitialised&) = default;
  // The memory goes along: an address that is given back may come again, and is not the owner's then.
  Uninitialised(Uninitialised&& other) noexcept
      : lent_(std::exchange(other.lent_, {})), unused_(std::exchange(other.unused_, false)) {}
  Uninitialised& operator=(Uninitialised&& other) noexcept {
    lent_ = std::exchange(other.lent_, {});
    unused_ = std::exchange(other.unused_, false);
    return *this;
  }
  Uninitialised select_on_container_copy_construction() const { return {}; }

  T* allocate(std::size_t count) {
    return std::exchange(unused_, false) ? static_cast<T*>(lent_.memory)
                                         : std::allocator<T>().allocate(count);
  }
  void deallocate(T* at, std::size_t count) {
    if (at != lent_.memory) return std::allocator<T>().deallocate(at, count);
    const Lent lent = std::exchange(lent_, {});
    lent.release(lent.owner);
  }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const Uninitialised& one, const Uninitialised& other) {
    return one.lent_.owner == other.lent_.owner;
  }

 private:
  Lent lent_;
  bool unused_ = false;  // as long as no buffer has started in it
};

using Buffer = std::vector<std::byte, Uninitialised<std::byte>>;

// Bytes that several messages carry without a copy. Whoever gets them must not change them.
class SharedBytes {
 public:
  explicit SharedBytes(Buffer bytes) : bytes_(std::make_shared<Buffer>(std::move(bytes))) {}

  // A buffer that lies where the bytes do; they stay until the last of these is gone.
  Buffer lend() const {
    if (bytes_->empty()) return {};
    using Kept = std::shared_ptr<Buffer>;
    const auto release = [](void* owner) { const std::unique_ptr<Kept> ends(static_cast<Kept*>(owner)); };
    Kept* const owner = std::make_unique<Kept>(bytes_).release();  // the buffer's now
    return Buffer(bytes_->size(), Buffer::allocator_type({bytes_->data(), owner, release}));
  }

 private:
  std::shared_ptr<Buffer> bytes_;
};

// One of the parties, from 0.
enum class Address : std::int32_t {};
constexpr std::int32_t index(Address address) { return static_cast<std::int32_t>(address); }

struct Message {
  Address from{};
  Address to{};
  std::uint32_t kind = 0;
  std::int64_t step = 0;
  Buffer payload;
};

// What a message takes on a wire besides its payload.
constexpr std::int64_t kHeaderBytes = 32;

}  // namespace overture::rpc
