// Action: a small callback that is copied like plain bytes and never allocates. What events and deliveries
// are made of; captures must be trivially copyable and fit in 24 bytes (a pointer and two ids, say).
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace overture {

class Action {
 public:
  static constexpr std::size_t kCapacity = 24;

  Action() = default;

  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Action> && std::is_invocable_v<F&>)
      Action(F&& function) {  // NOLINT(google-explicit-constructor): a lambda is passed as it is
    using Closure = std::remove_cvref_t<F>;
    static_assert(sizeof(Closure) <= kCapacity, "capture less: an id instead of the thing itself");
    static_assert(std::is_trivially_copyable_v<Closure>,
                  "capture references, pointers, ids and numbers only");
    static_assert(std::is_trivially_destructible_v<Closure>);
    ::new (static_cast<void*>(storage_)) Closure(std::forward<F>(function));
    call_ = [](std::byte* storage) { (*std::launder(reinterpret_cast<Closure*>(storage)))(); };
  }

  explicit operator bool() const { return call_ != nullptr; }
  void operator()() { call_(storage_); }

 private:
  alignas(8) std::byte storage_[kCapacity]{};
  void (*call_)(std::byte*) = nullptr;
};

}  // namespace overture
