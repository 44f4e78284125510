// What a user types for the enumerators of an enumeration. The words stand beside the enumeration, as
// `vocabulary(E)`; setups read, write and explain them, and messages name values by them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
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

// The members of a variant or a tuple: the word of each, its `kWord`, and the number of one of them.
template <class List>
struct Alternatives;
template <template <class...> class List, class... One>
struct Alternatives<List<One...>> {
  static constexpr std::array<std::string_view, sizeof...(One)> kWords{One::kWord...};

  template <class T>
  static constexpr std::size_t number() {
    std::size_t number = 0;
    static_cast<void>(((std::is_same_v<T, One> || (++number, false)) || ...));
    return number;
  }
};

// For an enumeration that numbers them: what its vocabulary() gives.
template <class E, class List>
constexpr auto numbered_words() {
  constexpr auto& kAll = Alternatives<List>::kWords;
  std::array<Word<E>, kAll.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {static_cast<E>(i), kAll[i]};
  return words;
}

}  // namespace overture
