#include "overture/setup/convert.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/system/algorithms.h"

namespace overture::setup {
namespace {

using system::Algorithm;

template <class T, class Parsed>
Result<bool> take(Result<Parsed> parsed, T& value) {
  if (!parsed) return Error{parsed.error()};
  value = std::move(parsed).value();
  return true;
}

template <class T>
Result<bool> read_number(const std::string& text, T& value, const char* what) {
  const auto parsed = parse_number<T>(text);
  if (!parsed) return Error{fmt::format("\"{}\" is not {}", text, what)};
  value = *parsed;
  return true;
}

// Counts may be short: 20k, 2M, 1e6.
template <class T>
Result<bool> read_whole(const std::string& text, T& value) {
  const Result<std::int64_t> count = parse_count(text);
  const bool plain = text.find_first_not_of("+-0123456789") == std::string::npos;
  constexpr auto kMost = std::numeric_limits<T>::max();
  if (count && std::cmp_greater(count.value(), kMost))
    return Error{fmt::format("{} is too large; at most {} is possible", text, kMost)};
  if (plain || !count) return read_number(text, value, "a whole number");
  value = static_cast<T>(count.value());
  return true;
}

constexpr double kGiBits = 8.0 * (1 << 30);

constexpr std::string_view kFlat = "flat_";

// "direct:<window>", "ring:<pieces>" and the like.
bool read_parameter(std::string_view word, const system::AlgorithmFacts& facts, Algorithm& algorithm) {
  const std::string_view name = facts.word;
  if (facts.parameter.empty() || !word.starts_with(name) || word.size() <= name.size() ||
      word[name.size()] != ':')
    return false;
  const std::string parameter(word.substr(name.size() + 1));
  algorithm = {facts};
  if (facts.from_file) {
    algorithm.file = parameter;
    return !parameter.empty();
  }
  return read_number(parameter, algorithm.window, "").ok() && algorithm.window > 0;
}

Result<Algorithm> read_algorithm(std::string_view word) {
  std::vector<std::string> known;
  for (const system::AlgorithmFacts* facts : system::kAlgorithms) {
    Algorithm algorithm{*facts};
    if ((word == facts->word && !facts->from_file) || read_parameter(word, *facts, algorithm))
      return algorithm;
    std::ranges::move(system::words_of(*facts), std::back_inserter(known));
  }
  return Error{fmt::format("unknown algorithm \"{}\"\n{}", word, suggest(word, known))};
}

std::string write_algorithm(const Algorithm& algorithm) {
  const std::string_view name = system::name(algorithm.kind);
  if (algorithm.kind == system::kFromFile) return fmt::format("{}:{}", name, algorithm.file);
  return algorithm.window > 0 ? fmt::format("{}:{}", name, algorithm.window) : std::string(name);
}

}  // namespace

std::string explain_algorithms(system::CollectiveKind kind) {
  std::string words;
  for (const system::AlgorithmFacts* facts : system::kAlgorithms) {
    if (!facts->can_do.has(kind)) continue;
    for (const std::string& word : system::words_of(*facts)) words += (words.empty() ? "" : ", ") + word;
  }
  return fmt::format(
      "Algorithm per dimension: {}; or one flat_... over all NPUs. Default: what suits the dimension", words);
}

// No run is longer than the horizon, and longer times could not be added up.
Result<bool> read(const std::string& text, Duration& value) {
  const Duration most = kHorizon.time_since_epoch();
  const Result<Duration> parsed = parse_duration(text);
  if (parsed && parsed.value() > most)
    return Error{fmt::format("\"{}\" is too long; use at most {}", text, to_string(most))};
  return take(parsed, value);
}
Result<bool> read(const std::string& text, Bytes& value) { return take(parse_bytes(text), value); }
Result<bool> read(const std::string& text, Bandwidth& value) { return take(parse_bandwidth(text), value); }
Result<bool> read(const std::string& text, Dollars& value) { return take(parse_dollars(text), value); }
Result<bool> read(const std::string& text, std::uint64_t& value) { return read_whole(text, value); }
Result<bool> read(const std::string& text, int& value) { return read_whole(text, value); }
Result<bool> read(const std::string& text, double& value) {
  double parsed = 0;
  auto result = read_number(text, parsed, "a number");
  if (result && !std::isfinite(parsed)) return Error{fmt::format("\"{}\" is not a number", text)};
  if (result) value = parsed;
  return result;
}
Result<bool> read(const std::string& text, bool& value) {
  if (text != "true" && text != "false") return Error{fmt::format("\"{}\" is neither true nor false", text)};
  value = text == "true";
  return true;
}
Result<bool> read(const std::string& text, std::string& value) {
  value = text;
  return true;
}
Result<bool> read(const std::string& text, NanosecondsField value) {
  Duration duration{};
  auto result = read(text, duration);
  if (result) value.ns = to_ns(duration);
  return result;
}
Result<bool> read(const std::string& text, LinkRateField value) {
  Bandwidth rate;
  auto result = take(parse_bandwidth(text), rate);
  if (result) value.gib_per_s = static_cast<double>(rate.bits_per_second()) / kGiBits;
  return result;
}
std::optional<std::vector<std::int64_t>> parse_sizes(const std::string& text, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("-,", at), text.size());
    const auto size = parse_number<std::int64_t>(std::string_view(text).substr(at, end - at));
    if (!size || *size < 1 || *size > most) return std::nullopt;
    sizes.push_back(*size);
    at = end + 1;
  }
  return sizes;
}

Result<bool> read(const std::string& text, SizesField value) {
  const auto sizes = parse_sizes(text, std::numeric_limits<int>::max());
  if (!sizes) return Error{fmt::format("\"{}\" is not a list of sizes\nsuch as 512-256-1", text)};
  value.sizes.assign(sizes->begin(), sizes->end());
  return true;
}

Result<bool> read(const std::string& text, MemoryRateField value) {
  Bandwidth rate;
  auto result = take(parse_bandwidth(text), rate);
  if (result) value.bytes_per_ns = rate.bytes_per_ns();
  return result;
}

std::string write(Duration value) { return exact(value); }
std::string write(Bytes value) { return exact(value); }
std::string write(Bandwidth value) { return exact(value); }
std::string write(Dollars value) { return exact(value); }
std::string write(std::uint64_t value) { return fmt::format("{}", value); }
std::string write(int value) { return fmt::format("{}", value); }
std::string write(double value) { return fmt::format("{}", value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(const std::string& value) { return value; }
std::string write(NanosecondsField value) { return exact(Duration{std::llround(value.ns * 1000)}); }
std::string write(LinkRateField value) {
  return exact(Bandwidth::bits_per_second(std::llround(value.gib_per_s * kGiBits)));
}
std::string write(SizesField value) { return fmt::format("{}", fmt::join(value.sizes, "-")); }
std::string write(MemoryRateField value) {
  return exact(Bandwidth::bits_per_second(std::llround(value.bytes_per_ns * 8e9)));
}

std::string unknown_word(const std::string& text, const std::vector<std::string>& known) {
  return fmt::format("unknown value \"{}\"\n{}", text, suggest(text, known));
}

// Without a word it stays what it is by default.
Result<bool> read(const std::vector<std::string>& words, system::Implementation& value) {
  if (words.empty()) return true;
  system::Implementation implementation;
  for (const std::string& word : words) {
    const bool flat = word.starts_with(kFlat);
    if (flat && words.size() > 1)
      return Error{fmt::format("\"{}\" spans all dimensions, so it must be the only one", word)};
    const Result<Algorithm> algorithm =
        read_algorithm(flat ? std::string_view(word).substr(kFlat.size()) : word);
    if (!algorithm) return Error{algorithm.error()};
    implementation.flat = flat;
    implementation.per_dimension.push_back(algorithm.value());
  }
  value = implementation;
  return true;
}

std::vector<std::string> write(const system::Implementation& value) {
  std::vector<std::string> words;
  for (const Algorithm& algorithm : value.per_dimension) {
    words.push_back((value.flat ? std::string(kFlat) : "") + write_algorithm(algorithm));
  }
  return words;
}

Result<bool> read(const std::vector<std::string>& words, std::vector<Bytes>& value) {
  value.clear();
  for (const std::string& word : words) {
    Bytes size;
    Result<bool> result = read(word, size);
    if (!result) return result;
    value.push_back(size);
  }
  return true;
}

std::vector<std::string> write(const std::vector<Bytes>& value) {
  std::vector<std::string> words;
  for (const Bytes size : value) words.push_back(write(size));
  return words;
}

}  // namespace overture::setup
