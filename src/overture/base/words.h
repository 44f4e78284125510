// What a user types for the enumerators of an enumeration. The words stand beside the enumeration, as
// `vocabulary(E)`; setups read, write and explain them, and messages name values by them.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <utility>

namespace overture {

template <class E>
using Word = std::pair<E, std::string_view>;

template <class E>
inline constexpr auto kWords = vocabulary(E{});

// The word of `value`; "?" if a user cannot ask for it.
template <class E>
constexpr std::string_view word_of(E value) {
  for (const auto& [candidate, word] : kWords<E>) {
    if (candidate == value) return word;
  }
  return "?";
}

}  // namespace overture
