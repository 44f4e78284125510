#include "overture/data/binary_writer.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/data/checksum.h"
#include "overture/data/columns.h"

namespace overture::data {
namespace {

template <class Id>
void narrow(const std::vector<std::int64_t>& ids, std::string& to) {
  const std::size_t start = to.size();
  to.resize(start + ids.size() * sizeof(Id));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Id id = static_cast<Id>(ids[i]);
    std::memcpy(to.data() + start + i * sizeof id, &id, sizeof id);
  }
}

}  // namespace

BinaryWriter::BinaryWriter(const std::filesystem::path& path, const Shape& shape)
    : name_(path.string()), shape_(shape), file_(path), seen_rows_(shape.tables(), 1) {
  for (const std::int64_t rows : shape.table_rows) {
    tables_.push_back({.rows = static_cast<std::uint64_t>(rows), .id_bytes = id_bytes(rows)});
  }
  clear(pending_, shape_);
  // Written again at the end, when all numbers are known.
  const BinaryHeader empty{};
  file_.write(&empty, sizeof empty);
  file_.write(tables_.data(), tables_.size() * sizeof(BinaryTable));
}

void BinaryWriter::write(const Batch& batch) {
  std::int64_t from = 0;
  if (pending_.samples == 0 && batch.samples <= kChunkSamples) {
    append(pending_, batch);
    from = batch.samples;
  }
  std::vector<std::uint32_t> some;
  while (from < batch.samples) {
    const std::int64_t to = std::min(batch.samples, from + kChunkSamples - pending_.samples);
    some.clear();
    for (std::int64_t s = from; s < to; ++s) some.push_back(static_cast<std::uint32_t>(s));
    append(pending_, batch, some);
    from = to;
    if (pending_.samples == kChunkSamples) write_chunk();
  }
  if (pending_.samples == kChunkSamples) write_chunk();
}

void BinaryWriter::write_chunk() {
  chunk_.clear();
  put(pending_.labels.data(), pending_.labels.size() * sizeof(float));
  put(pending_.dense.data(), pending_.dense.size() * sizeof(float));
  for (std::size_t t = 0; t < pending_.tables.size(); ++t) {
    const Bags& bags = pending_.tables[t];
    check_ids(t, bags.ids);
    put(bags.offsets.data(), bags.offsets.size() * sizeof(std::uint32_t));
    if (shape_.weighted) put(bags.weights.data(), bags.weights.size() * sizeof(float));
    put_ids(t, bags.ids);
  }
  chunks_.push_back({.offset = static_cast<std::uint64_t>(file_.size()),
                     .bytes = chunk_.size(),
                     .samples = static_cast<std::uint64_t>(pending_.samples),
                     .checksum = checksum(chunk_.data(), chunk_.size())});
  file_.write(chunk_);
  samples_ += pending_.samples;
  clear(pending_, shape_);
}

void BinaryWriter::put(const void* data, std::size_t size) {
  chunk_.append(static_cast<const char*>(data), size);
  chunk_.resize(aligned(chunk_.size()));
}

void BinaryWriter::check_ids(std::size_t table, const std::vector<std::int64_t>& ids) {
  const std::int64_t limit = shape_.table_rows[table] > 0 ? shape_.table_rows[table] : 1LL << 32;
  for (const std::int64_t id : ids) {
    if (id < 0 || id >= limit) {
      throw UserError({.file = name_},
                      fmt::format("id {} of table {} is not in its {} rows", id, table, limit));
    }
    seen_rows_[table] = std::max(seen_rows_[table], id + 1);
  }
}

void BinaryWriter::put_ids(std::size_t table, const std::vector<std::int64_t>& ids) {
  switch (tables_[table].id_bytes) {
    case 1: narrow<std::uint8_t>(ids, chunk_); break;
    case 2: narrow<std::uint16_t>(ids, chunk_); break;
    case 4: narrow<std::uint32_t>(ids, chunk_); break;
    default: narrow<std::uint64_t>(ids, chunk_); break;
  }
  chunk_.resize(aligned(chunk_.size()));
}

void BinaryWriter::close() {
  if (pending_.samples > 0) write_chunk();
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (tables_[t].rows == 0) tables_[t].rows = static_cast<std::uint64_t>(seen_rows_[t]);
  }
  BinaryHeader header{};
  std::memcpy(header.magic, kBinaryMagic.data(), sizeof header.magic);
  header.version = kBinaryVersion;
  header.flags = (shape_.multi_hot ? 1U : 0U) | (shape_.weighted ? 2U : 0U);
  header.dense_features = static_cast<std::uint32_t>(shape_.dense_features);
  header.tables = static_cast<std::uint32_t>(tables_.size());
  header.samples = static_cast<std::uint64_t>(samples_);
  header.chunk_samples = static_cast<std::uint64_t>(kChunkSamples);
  header.index_offset = static_cast<std::uint64_t>(file_.size());
  header.chunks = chunks_.size();
  header.checksum = header_checksum(header, tables_, chunks_);
  file_.write(chunks_.data(), chunks_.size() * sizeof(BinaryChunk));
  std::string front(reinterpret_cast<const char*>(&header), sizeof header);
  front.append(reinterpret_cast<const char*>(tables_.data()), tables_.size() * sizeof(BinaryTable));
  file_.write_front(front.data(), front.size());
  file_.close();
}

}  // namespace overture::data
