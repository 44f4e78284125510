#include "overture/data/id_dictionary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/data/checksum.h"

namespace overture::data {
namespace {

// The file: the magic, the number of tables, then for each its ids as 32 bits, then a checksum of all before.
// Little-endian, as everything of ours.
constexpr std::string_view kDictionaryMagic = "OVIDMAP1";
constexpr std::size_t kIdsAtALook = 8;  // that a look-up goes through, on average

template <class Number>
void put(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

class Taker {
 public:
  Taker(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  template <class Number>
  Number number() {
    Number value{};
    take(&value, sizeof(value));
    return value;
  }
  void take(void* into, std::size_t size) {
    if (size > bytes_.size()) fail();
    if (size > 0) std::memcpy(into, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::size_t left() const { return bytes_.size(); }
  [[noreturn]] void fail() const {
    throw UserError({.file = file_}, "is damaged, or not the ids of a model", "train the model again");
  }

 private:
  std::string_view bytes_;
  std::string file_;
};

bool is_ascending(const std::vector<std::uint32_t>& ids) {
  return std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
}

}  // namespace

IdDictionary::Table IdDictionary::make_table(std::vector<std::uint32_t> ascending) {
  Table table{.ids = std::move(ascending)};
  const std::size_t wanted = std::bit_ceil(table.ids.size() / kIdsAtALook + 1);
  table.shift = 32 - std::countr_zero(wanted);
  table.starts.resize(wanted + 1);
  std::size_t at = 0;
  for (std::size_t bucket = 0; bucket < wanted; ++bucket) {
    table.starts[bucket] = static_cast<std::uint32_t>(at);
    while (at < table.ids.size() && (std::uint64_t{table.ids[at]} >> table.shift) == bucket) ++at;
  }
  table.starts[wanted] = static_cast<std::uint32_t>(at);
  return table;
}

std::int64_t IdDictionary::row(std::size_t table, std::int64_t id) const {
  const Table& t = tables_[table];
  if (id < 0 || id > std::numeric_limits<std::uint32_t>::max()) return 0;
  const auto bucket = static_cast<std::size_t>(static_cast<std::uint64_t>(id) >> t.shift);
  const auto begin = t.ids.begin() + t.starts[bucket];
  const auto end = t.ids.begin() + t.starts[bucket + 1];
  const auto found = std::find(begin, end, static_cast<std::uint32_t>(id));
  return found == end ? 0 : found - t.ids.begin() + 1;
}

std::int64_t IdDictionary::ids() const {
  std::int64_t sum = 0;
  for (const Table& table : tables_) sum += std::ssize(table.ids);
  return sum;
}

void IdDictionary::save(const std::filesystem::path& file) const {
  std::string text(kDictionaryMagic);
  put(text, static_cast<std::uint64_t>(tables_.size()));
  for (const Table& table : tables_) {
    put(text, static_cast<std::uint64_t>(table.ids.size()));
    text.append(reinterpret_cast<const char*>(table.ids.data()), table.ids.size() * sizeof(std::uint32_t));
  }
  put(text, checksum(text.data(), text.size()));
  write_file(file, text);
}

IdDictionary IdDictionary::load(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  Taker taker(text, file.string());
  if (!text.starts_with(kDictionaryMagic) || text.size() < kDictionaryMagic.size() + 16) taker.fail();
  const std::size_t sum_at = text.size() - sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  std::memcpy(&sum, text.data() + sum_at, sizeof(sum));
  if (sum != checksum(text.data(), sum_at)) taker.fail();
  std::string magic(kDictionaryMagic.size(), ' ');
  taker.take(magic.data(), magic.size());
  IdDictionary dictionary;
  for (auto tables = taker.number<std::uint64_t>(); tables > 0; --tables) {
    const auto count = taker.number<std::uint64_t>();
    if (count > taker.left() / sizeof(std::uint32_t)) taker.fail();
    std::vector<std::uint32_t> ids(count);
    taker.take(ids.data(), count * sizeof(std::uint32_t));
    if (!is_ascending(ids)) taker.fail();
    dictionary.tables_.push_back(make_table(std::move(ids)));
  }
  return dictionary;
}

void IdCollector::tidy(Table& table) {
  const auto middle = table.ids.begin() + static_cast<std::ptrdiff_t>(table.distinct);
  std::sort(middle, table.ids.end());
  std::inplace_merge(table.ids.begin(), middle, table.ids.end());
  table.ids.erase(std::unique(table.ids.begin(), table.ids.end()), table.ids.end());
  table.distinct = table.ids.size();
}

void IdCollector::add(const Batch& batch) {
  constexpr std::size_t kLeast = 1 << 14;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    for (const std::int64_t id : batch.tables[t].ids) {
      if (id == 0) continue;  // missing
      if (id < 0 || id > std::numeric_limits<std::uint32_t>::max())
        throw UserError(fmt::format("id {} of table {} is not a hash of 32 bits", id, t));
      table.ids.push_back(static_cast<std::uint32_t>(id));
    }
    if (table.ids.size() > std::max(2 * table.distinct, kLeast)) tidy(table);
  }
}

std::int64_t IdCollector::held() const {
  std::int64_t sum = 0;
  for (const Table& table : tables_) sum += static_cast<std::int64_t>(table.distinct);
  return sum;
}

IdDictionary IdCollector::finish() {
  IdDictionary dictionary;
  for (Table& table : tables_) {
    tidy(table);
    dictionary.tables_.push_back(IdDictionary::make_table(std::move(table.ids)));
  }
  return dictionary;
}

}  // namespace overture::data
