#include "overture/data/binary_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/data/checksum.h"
#include "overture/data/columns.h"

namespace overture::data {
namespace {

// Appends `count` ids of few bytes to `to` and returns the largest.
template <class Id>
std::int64_t widen(const char* from, std::size_t count, std::vector<std::int64_t>& to) {
  const std::size_t before = to.size();
  to.resize(before + count);
  std::int64_t* out = to.data() + before;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Id id{};
    std::memcpy(&id, from + i * sizeof id, sizeof id);
    out[i] = static_cast<std::int64_t>(id);
    largest = std::max(largest, out[i] < 0 ? INT64_MAX : out[i]);
  }
  return largest;
}

std::int64_t widen(const char* from, std::uint64_t bytes, std::size_t count, std::vector<std::int64_t>& to) {
  switch (bytes) {
    case 1: return widen<std::uint8_t>(from, count, to);
    case 2: return widen<std::uint16_t>(from, count, to);
    case 4: return widen<std::uint32_t>(from, count, to);
    default: return widen<std::uint64_t>(from, count, to);
  }
}

}  // namespace

BinaryReader::BinaryReader(const std::filesystem::path& path) : file_(path) {
  if (static_cast<std::size_t>(file_.size()) < sizeof(BinaryHeader)) cut_short();
  read_header();
}

// The file may have become shorter since it was opened; then this says so.
void BinaryReader::get(std::uint64_t place, void* into, std::size_t size) const {
  if (file_.read_at(static_cast<std::int64_t>(place), static_cast<char*>(into), size) != size) cut_short();
}

void BinaryReader::cut_short() const {
  throw UserError({.file = file_.name()}, "is cut short: the end of the dataset is missing",
                  "convert or generate it again");
}

void BinaryReader::damaged(const std::string& what) const {
  throw UserError({.file = file_.name()}, "is damaged: " + what, "convert or generate it again");
}

void BinaryReader::read_header() {
  BinaryHeader header{};
  get(0, &header, sizeof header);
  if (std::string_view(header.magic, sizeof header.magic) != kBinaryMagic) {
    throw UserError({.file = file_.name()},
                    "is not a dataset of Overture's: its first bytes are not OVERDATA");
  }
  if (header.version != kBinaryVersion) {
    throw UserError({.file = file_.name()}, fmt::format("has version {}, this program reads version {}",
                                                        header.version, kBinaryVersion));
  }
  if (header.tables > kMostTables || header.dense_features > kMostDense) damaged("the header makes no sense");
  const auto size = static_cast<std::uint64_t>(file_.size());
  const std::uint64_t tables_end = sizeof header + header.tables * sizeof(BinaryTable);
  if (tables_end > size || header.index_offset > size || header.index_offset < tables_end ||
      header.chunks > (size - header.index_offset) / sizeof(BinaryChunk)) {
    cut_short();
  }
  tables_.resize(header.tables);
  get(sizeof header, tables_.data(), tables_.size() * sizeof(BinaryTable));
  chunks_.resize(header.chunks);
  get(header.index_offset, chunks_.data(), chunks_.size() * sizeof(BinaryChunk));
  if (header_checksum(header, tables_, chunks_) != header.checksum)
    damaged("the checksum of its header is wrong");
  shape_ = {.dense_features = header.dense_features,
            .multi_hot = (header.flags & 1U) != 0,
            .weighted = (header.flags & 2U) != 0};
  for (const BinaryTable& table : tables_) {
    const bool known =
        table.id_bytes == 1 || table.id_bytes == 2 || table.id_bytes == 4 || table.id_bytes == 8;
    if (!known || table.rows == 0 || table.rows > INT64_MAX) damaged("a table makes no sense");
    shape_.table_rows.push_back(static_cast<std::int64_t>(table.rows));
  }
  read_index(header);
}

void BinaryReader::read_index(const BinaryHeader& header) {
  const std::uint64_t tables_end = sizeof header + tables_.size() * sizeof(BinaryTable);
  if (header.chunk_samples == 0 || header.chunk_samples > 1U << 30) damaged("its chunks make no sense");
  std::uint64_t samples = 0;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const BinaryChunk& chunk = chunks_[c];
    const bool full = chunk.samples == header.chunk_samples;
    const bool last = c + 1 == chunks_.size() && chunk.samples > 0 && chunk.samples < header.chunk_samples;
    const bool inside = chunk.offset >= tables_end && chunk.offset <= header.index_offset &&
                        chunk.bytes <= header.index_offset - chunk.offset && chunk.offset % 8 == 0;
    if ((!full && !last) || !inside) damaged("its chunks make no sense");
    samples += chunk.samples;
  }
  if (samples != header.samples) damaged("its chunks make no sense");
  samples_ = static_cast<std::int64_t>(samples);
  chunk_samples_ = static_cast<std::int64_t>(header.chunk_samples);
}

// The part of the open chunk at `place`, which moves behind it.
const char* BinaryReader::part(std::size_t& place, std::size_t bytes) const {
  const BinaryChunk& chunk = chunks_[open_];
  if (place > chunk.bytes || bytes > chunk.bytes - place) damaged("a chunk is shorter than its samples");
  const char* found = memory_.data() + place;
  place = aligned(place + bytes);
  return found;
}

void BinaryReader::open_chunk(std::size_t chunk) {
  const BinaryChunk& entry = chunks_[chunk];
  open_ = chunks_.size();  // none, if this fails
  memory_.resize(static_cast<std::size_t>(entry.bytes));
  get(entry.offset, memory_.data(), memory_.size());
  if (checksum(memory_.data(), memory_.size()) != entry.checksum) {
    damaged(fmt::format(
        "the checksum of samples {} to {} is wrong", static_cast<std::int64_t>(chunk) * chunk_samples_,
        static_cast<std::int64_t>(chunk) * chunk_samples_ + static_cast<std::int64_t>(entry.samples) - 1));
  }
  open_ = chunk;
  std::size_t place = 0;
  labels_ = reinterpret_cast<const float*>(part(place, entry.samples * sizeof(float)));
  const std::size_t dense = entry.samples * static_cast<std::size_t>(shape_.dense_features);
  dense_ = reinterpret_cast<const float*>(part(place, dense * sizeof(float)));
  columns_.clear();
  for (std::size_t t = 0; t < tables_.size(); ++t) columns_.push_back(table_column(t, place));
}

BinaryReader::Column BinaryReader::table_column(std::size_t table, std::size_t& place) const {
  const std::uint64_t samples = chunks_[open_].samples;
  Column column{.count = samples};
  if (shape_.multi_hot) {
    column.offsets =
        reinterpret_cast<const std::uint32_t*>(part(place, (samples + 1) * sizeof(std::uint32_t)));
    if (column.offsets[0] != 0 || !std::is_sorted(column.offsets, column.offsets + samples + 1)) {
      damaged("the offsets of a chunk do not rise");
    }
    column.count = column.offsets[samples];
  }
  if (shape_.weighted)
    column.weights = reinterpret_cast<const float*>(part(place, column.count * sizeof(float)));
  column.ids = part(place, column.count * tables_[table].id_bytes);
  return column;
}

std::int64_t BinaryReader::read(Batch& batch, std::int64_t most) {
  clear(batch, shape_);
  while (batch.samples < most && next_ < samples_) {
    const std::int64_t chunk = next_ / chunk_samples_;
    if (open_ != static_cast<std::size_t>(chunk)) open_chunk(static_cast<std::size_t>(chunk));
    const std::int64_t first = next_ - chunk * chunk_samples_;
    const std::int64_t there = static_cast<std::int64_t>(chunks_[open_].samples) - first;
    const std::int64_t count = std::min(there, most - batch.samples);
    copy(batch, first, count);
    next_ += count;
  }
  return batch.samples;
}

void BinaryReader::copy(Batch& batch, std::int64_t first, std::int64_t count) const {
  const std::int64_t width = shape_.dense_features;
  batch.labels.insert(batch.labels.end(), labels_ + first, labels_ + first + count);
  batch.dense.insert(batch.dense.end(), dense_ + first * width, dense_ + (first + count) * width);
  for (std::size_t t = 0; t < columns_.size(); ++t) {
    const Column& column = columns_[t];
    Bags& bags = batch.tables[t];
    const std::uint64_t begin = shape_.multi_hot ? column.offsets[first] : static_cast<std::uint64_t>(first);
    const std::uint64_t end =
        shape_.multi_hot ? column.offsets[first + count] : static_cast<std::uint64_t>(first + count);
    if (shape_.multi_hot) {
      const auto base = static_cast<std::uint32_t>(bags.ids.size() - begin);
      for (std::int64_t s = 1; s <= count; ++s) bags.offsets.push_back(base + column.offsets[first + s]);
    }
    if (shape_.weighted)
      bags.weights.insert(bags.weights.end(), column.weights + begin, column.weights + end);
    const std::uint64_t bytes = tables_[t].id_bytes;
    if (widen(column.ids + begin * bytes, bytes, end - begin, bags.ids) >= shape_.table_rows[t]) {
      damaged(fmt::format("an id of table {} is not in its {} rows", t, shape_.table_rows[t]));
    }
  }
  batch.samples += count;
}

std::int64_t BinaryReader::skip(std::int64_t samples) {
  const std::int64_t skipped = std::min(samples, samples_ - next_);
  next_ += skipped;
  return skipped;
}

Position BinaryReader::position() const {
  if (samples_ == 0) return {file_.size(), file_.size()};
  const double share = static_cast<double>(next_) / static_cast<double>(samples_);
  return {static_cast<std::int64_t>(share * static_cast<double>(file_.size())), file_.size()};
}

}  // namespace overture::data
