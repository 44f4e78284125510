// Message: what the roles of training send each other: a kind and a step, which the roles give a meaning, and
// bytes. Knows nothing of training; a message is the same between threads as between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace overture::rpc {

// Leaves bytes as they are when a buffer grows: they are written anyway.
template <class T>
struct Uninitialised : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Uninitialised<U>;
  };
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
};

using Buffer = std::vector<std::byte, Uninitialised<std::byte>>;

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
