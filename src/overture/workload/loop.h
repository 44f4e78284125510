// Loop: a training loop written as straight-line code. It is a coroutine that owns its own life; co_await
// hands control back to the simulation until a compute step or a collective is over.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace overture::workload {

class Loop {
 public:
  struct promise_type {
    Loop get_return_object() { return Loop(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }  // out of resume()
  };

  Loop() = default;
  Loop(Loop&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Loop& operator=(Loop&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Loop() {
    if (handle_) handle_.destroy();
  }

  void resume() { handle_.resume(); }
  bool done() const { return handle_.done(); }

 private:
  explicit Loop(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace overture::workload
