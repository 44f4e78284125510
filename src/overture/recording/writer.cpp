#include "overture/recording/writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include "overture/base/check.h"
#include "overture/base/disk.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/varint.h"
#include "overture/recording/format.h"

namespace overture::recording {
namespace {

namespace fs = std::filesystem;

constexpr int kLevel = 1;  // as fast as copying, and a fifth of the bytes

void put_number(std::string& to, std::size_t value) {
  for (int i = 0; i < 4; ++i) to += static_cast<char>(value >> 8 * i);
}

std::uint64_t plain(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

bool is_of_recording(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "setup.yaml" || (name.starts_with("party-") && name.find(".rec") != std::string::npos);
}

void encode_head(const Head& head, std::string& bytes) {
  VarintWriter put(bytes);
  for (const std::int64_t number :
       {std::int64_t{head.party}, std::int64_t{head.trainers}, std::int64_t{head.servers},
        std::int64_t{head.threads}, head.first_step, head.process})
    put(plain(number));
  put.text(head.machine.processor);
  put(plain(head.machine.cores));
  put.text(head.machine.host);
  put.text(head.program);
  put(head.kinds.size());
  for (const std::string& kind : head.kinds) put.text(kind);
  put(plain(head.dense_features));
  put(head.table_rows.size());
  for (const std::int64_t rows : head.table_rows) put(plain(rows));
  put(head.weighted ? 1 : 0);
}

}  // namespace

void begin_recording(const fs::path& folder, std::string_view setup) {
  if (!disk().make_folder(folder))
    throw UserError({.file = folder.string()}, std::string("cannot be created: ") + std::strerror(errno));
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file() || !is_of_recording(entry.path()))
      throw UserError({.file = folder.string()}, "is not empty, and no recording",
                      "name a new folder for it");
    old.push_back(entry.path());
  }
  for (const fs::path& file : old) disk().remove(file);
  write_file(setup_file(folder), setup);
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

RecordingWriter::RecordingWriter(const std::filesystem::path& file, const Head& head) : file_(file) {
  file_.write(kMagic);
  encode_head(head, block_);
  write_block();
}

// Events come nearly in the order of time.
std::uint64_t RecordingWriter::since(std::int64_t time) {
  const std::int64_t past = std::max<std::int64_t>(time - last_, 0);
  last_ = std::max(last_, time);
  return static_cast<std::uint64_t>(past);
}

void RecordingWriter::add(const Piece& piece) {
  if (full_) return;
  VarintWriter put(block_);
  put(static_cast<std::uint64_t>(piece.work));
  put(since(piece.begin));
  put(plain(piece.length));
  put.sign(piece.step);
  for (const std::int64_t number : piece.numbers) put(plain(number));
  end_event();
}

void RecordingWriter::add(const Sent& sent) {
  if (full_) return;
  VarintWriter put(block_);
  put(static_cast<std::uint64_t>(EventCode::sent));
  put(since(sent.begin));
  put(plain(sent.length));
  put(plain(sent.to));
  put(sent.kind);
  put.sign(sent.step);
  put(plain(sent.bytes));
  end_event();
}

void RecordingWriter::add(const Received& received) {
  if (full_) return;
  VarintWriter put(block_);
  put(static_cast<std::uint64_t>(EventCode::received));
  put(since(received.at));
  put(plain(received.waited));
  put(plain(received.from));
  put(received.kind);
  put.sign(received.step);
  put(plain(received.bytes));
  end_event();
}

void RecordingWriter::add(const Computed& computed) {
  if (full_) return;
  VarintWriter put(block_);
  put(static_cast<std::uint64_t>(EventCode::computed));
  put(since(computed.at));
  put(plain(computed.thread));
  put(plain(computed.process));
  end_event();
}

void RecordingWriter::end_event() {
  if (block_.size() < kBlockBytes) return;
  write_block();
  if (file_.size() < kMostBytes) return;
  VarintWriter put(block_);
  put(static_cast<std::uint64_t>(EventCode::full));
  write_block();
  full_ = true;
}

void RecordingWriter::finish() {
  if (!block_.empty()) write_block();
  write_block();
  file_.close();
}

void RecordingWriter::write_block() {
  packed_.resize(block_.empty() ? 0 : ZSTD_compressBound(block_.size()));
  if (!block_.empty()) {
    const std::size_t size =
        ZSTD_compress(packed_.data(), packed_.size(), block_.data(), block_.size(), kLevel);
    check(ZSTD_isError(size) == 0, "a block can be compressed");
    packed_.resize(size);
  }
  std::string frame;
  put_number(frame, block_.size());
  put_number(frame, packed_.size());
  put_number(frame, checksum(packed_));
  file_.write(frame);
  file_.write(packed_);
  block_.clear();
}

}  // namespace overture::recording
