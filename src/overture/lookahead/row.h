// Row: one embedding row, table and id in one word, so that it is compared, hashed and sorted as a number;
// the order is by table, then by id. Trainers: a set of trainers, a bit each.
#pragma once

#include <bit>
#include <cstdint>

namespace overture::lookahead {

enum class Row : std::uint64_t {};

constexpr int kIdBits = 40;
constexpr std::int64_t kMostTables = (std::int64_t{1} << (64 - kIdBits)) - 1;
constexpr std::int64_t kMostRows = std::int64_t{1} << kIdBits;  // of one table

constexpr Row kNoRow{~std::uint64_t{0}};  // of a table beyond the last

// Needs 0 <= table < kMostTables and 0 <= id < kMostRows.
constexpr Row make_row(std::int64_t table, std::int64_t id) {
  return Row{static_cast<std::uint64_t>(table) << kIdBits | static_cast<std::uint64_t>(id)};
}
constexpr std::int64_t table(Row row) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) >> kIdBits);
}
constexpr std::int64_t id(Row row) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(row) & (std::uint64_t{kMostRows} - 1));
}

__extension__ using Unsigned128 = unsigned __int128;

// Both halves of one product folded together: two instructions, and every bit of the row counts.
constexpr std::uint32_t hash(Row row) {
  const Unsigned128 product = Unsigned128{static_cast<std::uint64_t>(row) + 1} * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(product >> 64) ^
                                    static_cast<std::uint64_t>(product) >> 32);
}

using Trainers = std::uint64_t;
constexpr int kMostTrainers = 64;

constexpr Trainers only(int trainer) { return Trainers{1} << trainer; }
constexpr bool several(Trainers trainers) { return (trainers & (trainers - 1)) != 0; }

// The one of `users` that answers for `row`: the first at or after a trainer that the row's hash picks, so
// that the work is spread and the same users always give the same owner. Needs a user.
constexpr int owner(Row row, Trainers users, int trainers) {
  if (!several(users)) return std::countr_zero(users);
  const auto first = static_cast<int>(std::uint64_t{hash(row)} * static_cast<std::uint64_t>(trainers) >> 32);
  return (std::countr_zero(std::rotr(users, first)) + first) % kMostTrainers;
}

}  // namespace overture::lookahead
