// Time, sizes and rates as types, so that a unit mistake does not compile. Text carries units both ways:
// "100 Gbps", "1.5 us", "64 MiB"; a bare number is an error.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>

#include "overture/base/result.h"

namespace overture {

__extension__ using Int128 = __int128;

// Simulated time in whole picoseconds: the same inputs give the same event order everywhere.
using Duration = std::chrono::duration<std::int64_t, std::pico>;
using Nanoseconds = std::chrono::duration<std::int64_t, std::nano>;

// The clock of the simulated world. It has no now(): only the event queue knows the time.
struct SimClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimClock, Duration>;
  static constexpr bool is_steady = true;
};
using Time = SimClock::time_point;

// No simulation that is meant in earnest comes near these; what does is a mistake in a unit, and to add it up
// would overflow.
constexpr Time kHorizon{std::chrono::hours{240}};             // no run lasts longer
constexpr Duration kLongestTransfer = std::chrono::hours{1};  // of one message on one link

// Throw UserError past these.
void check_horizon(Time when);
void check_transfer_ns(double ns);

inline double to_us(Duration d) { return static_cast<double>(d.count()) / 1e6; }
inline double to_ns(Duration d) { return static_cast<double>(d.count()) / 1e3; }
inline double to_seconds(Duration d) { return static_cast<double>(d.count()) / 1e12; }

class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}
  constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count_ + b.count_}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count_ - b.count_}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes{a.count_ * n}; }
  friend constexpr Bytes operator/(Bytes a, std::int64_t n) { return Bytes{a.count_ / n}; }
  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }
  constexpr Bytes& operator-=(Bytes other) { return *this = *this - other; }

 private:
  std::int64_t count_ = 0;
};

class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  static constexpr Bandwidth bits_per_second(std::int64_t n) { return Bandwidth{n}; }
  constexpr std::int64_t bits_per_second() const { return bits_per_second_; }
  constexpr double bytes_per_ns() const { return static_cast<double>(bits_per_second_) / 8e9; }

  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;
  friend constexpr Bandwidth operator*(Bandwidth b, std::int64_t n) {
    return Bandwidth{b.bits_per_second_ * n};
  }
  friend constexpr Bandwidth operator/(Bandwidth b, std::int64_t n) {
    return Bandwidth{b.bits_per_second_ / n};
  }

 private:
  constexpr explicit Bandwidth(std::int64_t n) : bits_per_second_(n) {}
  std::int64_t bits_per_second_ = 0;
};

// How long `size` keeps a link of `rate` busy, rounded up: no transfer is free.
constexpr Duration transfer_time(Bytes size, Bandwidth rate) {
  const Int128 bit_picoseconds = Int128{size.count()} * 8 * std::pico::den;
  const Int128 rate_bits = rate.bits_per_second();
  return Duration{static_cast<std::int64_t>((bit_picoseconds + rate_bits - 1) / rate_bits)};
}

// Reads "1.5 us", "64 MiB", "100 Gbps" or "32 GiB/s". Fails on a bare number, an unknown unit, a negative
// number or one too large, and says which units would work.
Result<Duration> parse_duration(std::string_view text);
Result<Bytes> parse_bytes(std::string_view text);
Result<Bandwidth> parse_bandwidth(std::string_view text);

// For people: three or four significant digits and the unit that suits, "172.7 us".
std::string to_string(Duration d);
std::string to_string(Bytes size);
std::string to_string(Bandwidth rate);

// For files: the largest unit that loses nothing, so that parsing gives the same value back.
std::string exact(Duration d);
std::string exact(Bytes size);
std::string exact(Bandwidth rate);

namespace literals {
using namespace std::chrono_literals;
constexpr Duration operator""_ps(unsigned long long n) { return Duration{static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 30}; }
constexpr Bandwidth operator""_Gbps(unsigned long long n) {
  return Bandwidth::bits_per_second(static_cast<std::int64_t>(n) * 1'000'000'000);
}
constexpr Bandwidth operator""_Mbps(unsigned long long n) {
  return Bandwidth::bits_per_second(static_cast<std::int64_t>(n) * 1'000'000);
}
}  // namespace literals

}  // namespace overture
