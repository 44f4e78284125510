// Result<T>: a value, or why there is none. For what the world does to us (a file cut short, a peer gone);
// the caller decides. g++ 12 has no std::expected.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "overture/base/check.h"

namespace overture {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): reads as a value
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    check(ok(), "a result is asked for its value only when it has one");
    return std::get<T>(state_);
  }
  T&& value() && {
    check(ok(), "a result is asked for its value only when it has one");
    return std::get<T>(std::move(state_));
  }
  const std::string& error() const {
    check(!ok(), "a result is asked for its error only when it failed");
    return std::get<Error>(state_).message;
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace overture
