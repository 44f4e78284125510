#include <fmt/format.h>
#include <zstd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/varint.h"
#include "overture/recording/format.h"
#include "overture/recording/recording.h"

namespace overture::recording {
namespace {

constexpr const char* kAgain = "record the run again";
constexpr std::uint64_t kMostParties = 1 << 20;
constexpr std::int64_t kLatest = std::int64_t{1} << 61;  // nanoseconds: the year 2043

class PartyReader {
 public:
  explicit PartyReader(const std::filesystem::path& path)
      : file_(path.string()), bytes_(read_file(path)), left_(bytes_) {}

  PartyRecord read() {
    check_magic();
    if (!next_block()) fail("has no head");
    decode_head();
    while (next_block()) decode_events();
    if (!left_.empty()) fail("has data after its end");
    return std::move(record_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw UserError({.file = file_}, what, kAgain); }

  void check_magic() {
    if (left_.substr(0, kVersionDigit) != kMagic.substr(0, kVersionDigit)) {
      throw UserError({.file = file_},
                      kMagic.starts_with(left_) && !left_.empty() ? "is cut short" : "is not a recording",
                      "`overture train --record` makes one");
    }
    if (left_.size() < kMagic.size()) fail("is cut short");
    if (left_.substr(0, kMagic.size()) != kMagic)
      fail(fmt::format("is a recording of another version; this program reads version {}", kVersion));
    left_.remove_prefix(kMagic.size());
  }

  std::string_view take(std::size_t size) {
    if (size > left_.size()) fail(fmt::format("is cut short after {} events", record_.events.size()));
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  static std::size_t number(std::string_view bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::size_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    return value;
  }

  // Sizes are compared with what may be before any memory is taken for them.
  bool next_block() {
    const std::string_view frame = take(kFrameBytes);
    const std::size_t size = number(frame);
    const std::string_view packed = take(number(frame.substr(4)));
    if (checksum(packed) != number(frame.substr(8)) || size > kMostBlockBytes)
      fail(fmt::format("is damaged after {} events", record_.events.size()));
    block_.resize(size);
    if (size == 0) return false;
    if (ZSTD_decompress(block_.data(), size, packed.data(), packed.size()) != size)
      fail(fmt::format("is damaged after {} events", record_.events.size()));
    return true;
  }

  void decode_head() {
    VarintReader get(block_);
    Head& head = record_.head;
    const auto count = [&] { return static_cast<int>(get(kMostParties)); };
    head.party = count();
    head.trainers = count();
    head.servers = count();
    head.threads = count();
    head.first_step = get.as<std::int64_t>();
    head.process = get.as<std::int64_t>();
    head.machine.processor = get.text();
    head.machine.cores = count();
    head.machine.host = get.text();
    head.program = get.text();
    head.kinds.resize(get.count());
    for (std::string& kind : head.kinds) kind = get.text();
    head.dense_features = get.as<std::int64_t>();
    head.table_rows.resize(get.count());
    for (std::int64_t& rows : head.table_rows) rows = get.as<std::int64_t>();
    head.weighted = get(1) != 0;
    if (!get.complete() || head.trainers < 1 || head.party >= head.parties()) fail("has a damaged head");
  }

  void decode_events() {
    VarintReader get(block_);
    while (get.ok() && !get.empty()) decode_event(get);
    if (!get.ok()) fail(fmt::format("is damaged after {} events", record_.events.size()));
  }

  // What no clock and no counter gives is damage: sums must not overflow.
  std::int64_t amount(VarintReader& get) { return static_cast<std::int64_t>(get(std::uint64_t{1} << 50)); }
  std::int64_t next_time(VarintReader& get) {
    const auto past = static_cast<std::int64_t>(get(std::uint64_t{1} << 61));
    if (past > kLatest - last_) fail("has a damaged time");
    return last_ += past;
  }
  int party(VarintReader& get) {
    return static_cast<int>(get(static_cast<std::uint64_t>(record_.head.parties() - 1)));
  }

  void decode_event(VarintReader& get) {
    const std::uint64_t code = get();
    if (code < kWorks) return decode_piece(static_cast<Work>(code), get);
    switch (static_cast<EventCode>(code)) {
      case EventCode::sent: {
        Sent sent{.begin = next_time(get), .length = amount(get), .to = party(get)};
        sent.kind = get.as<std::uint32_t>();
        sent.step = get.sign();
        sent.bytes = amount(get);
        record_.events.emplace_back(sent);
        return;
      }
      case EventCode::received: {
        Received received{.at = next_time(get), .waited = amount(get), .from = party(get)};
        received.kind = get.as<std::uint32_t>();
        received.step = get.sign();
        received.bytes = amount(get);
        record_.events.emplace_back(received);
        return;
      }
      case EventCode::computed: {
        const std::int64_t at = next_time(get);
        const std::int64_t thread = amount(get);
        record_.events.emplace_back(Computed{.at = at, .thread = thread, .process = amount(get)});
        return;
      }
      case EventCode::full: record_.full = true; return;
    }
    fail(fmt::format("is damaged after {} events", record_.events.size()));
  }

  void decode_piece(Work work, VarintReader& get) {
    Piece piece{.work = work};
    piece.begin = next_time(get);
    piece.length = amount(get);
    piece.step = get.sign();
    for (std::int64_t& number : piece.numbers) number = amount(get);
    record_.events.emplace_back(piece);
  }

  std::string file_;
  std::string bytes_;
  std::string_view left_;
  std::string block_;
  PartyRecord record_;
  std::int64_t last_ = 0;
};

}  // namespace

std::filesystem::path party_file(const std::filesystem::path& folder, int party) {
  return folder / fmt::format("party-{}.rec", party);
}
std::filesystem::path setup_file(const std::filesystem::path& folder) { return folder / "setup.yaml"; }

PartyRecord read_party(const std::filesystem::path& file) { return PartyReader(file).read(); }

Recording read_recording(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(party_file(folder, 0)))
    throw UserError({.file = folder.string()}, "is not a folder with a recording",
                    "`overture train --record` makes one");
  Recording recording;
  recording.parties.push_back(read_party(party_file(folder, 0)));
  const Head head = recording.head();
  if (head.party != 0)
    throw UserError({.file = party_file(folder, 0).string()}, "belongs to another party", kAgain);
  for (int party = 1; party < head.parties(); ++party) {
    const std::filesystem::path file = party_file(folder, party);
    PartyRecord one = read_party(file);
    if (one.head.party != party || one.head.trainers != head.trainers || one.head.servers != head.servers)
      throw UserError({.file = file.string()}, "belongs to another run", kAgain);
    recording.parties.push_back(std::move(one));
  }
  if (std::filesystem::exists(setup_file(folder))) recording.setup = read_file(setup_file(folder));
  return recording;
}

}  // namespace overture::recording
