#include "overture/data/zip.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/data/input_file.h"

namespace overture::data {
namespace {

// Numbers and places of the format: PKWARE's APPNOTE.TXT, sections 4.3.7 to 4.3.16.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the true number stands in a ZIP64 field
constexpr std::size_t kLargestDirectory = 1 << 24;

[[noreturn]] void cut_short(const std::string& file) {
  throw UserError({.file = file}, "is cut short, or no zip archive (npz is one)",
                  "copy or download it again");
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t place, const std::string& file) {
  Number value{};
  if (place > bytes.size() || bytes.size() - place < sizeof value) cut_short(file);
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

std::string bytes_at(const InputFile& file, std::uint64_t place, std::uint64_t size) {
  const auto whole = static_cast<std::uint64_t>(file.size());
  if (place > whole || size > whole - place || size > kLargestDirectory) cut_short(file.name());
  std::string bytes(size, '\0');
  if (file.read_at(static_cast<std::int64_t>(place), bytes.data(), size) != size) cut_short(file.name());
  return bytes;
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

Directory find_directory(const InputFile& file) {
  constexpr std::int64_t kEndSize = 22;
  const std::int64_t tail_size = std::min<std::int64_t>(file.size(), kEndSize + 0xffff);
  const std::int64_t tail_at = file.size() - tail_size;
  const std::string tail =
      bytes_at(file, static_cast<std::uint64_t>(tail_at), static_cast<std::uint64_t>(tail_size));
  for (std::int64_t i = tail_size - kEndSize; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    if (number_at<std::uint32_t>(tail, at, file.name()) != kEnd) continue;
    Directory directory{.offset = number_at<std::uint32_t>(tail, at + 16, file.name()),
                        .size = number_at<std::uint32_t>(tail, at + 12, file.name())};
    if (directory.offset != kIn64 && directory.size != kIn64) return directory;
    if (at < 20 || number_at<std::uint32_t>(tail, at - 20, file.name()) != kEnd64Locator)
      cut_short(file.name());
    const std::string end64 = bytes_at(file, number_at<std::uint64_t>(tail, at - 12, file.name()), 56);
    if (number_at<std::uint32_t>(end64, 0, file.name()) != kEnd64) cut_short(file.name());
    return {.offset = number_at<std::uint64_t>(end64, 48, file.name()),
            .size = number_at<std::uint64_t>(end64, 40, file.name())};
  }
  cut_short(file.name());
}

// The ZIP64 extra field holds, in this order, those of the three numbers that did not fit.
void read_extra(std::string_view extra, ZipMember& member, const std::string& file) {
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const auto tag = number_at<std::uint16_t>(extra, at, file);
    const auto size = number_at<std::uint16_t>(extra, at + 2, file);
    at += 4;
    if (tag == 1) {
      std::size_t field = at;
      for (std::uint64_t* number : {&member.size, &member.packed_size, &member.header_offset}) {
        if (*number != kIn64) continue;
        *number = number_at<std::uint64_t>(extra, field, file);
        field += 8;
      }
    }
    at += size;
  }
}

class MemberSource final : public ByteSource {
 public:
  MemberSource(const std::filesystem::path& path, const ZipMember& member)
      : file_(path), member_(member), packed_(1 << 16) {
    const std::string header = bytes_at(file_, member.header_offset, 30);
    if (number_at<std::uint32_t>(header, 0, file_.name()) != kLocalHeader) cut_short(file_.name());
    begin_ = member.header_offset + 30 + number_at<std::uint16_t>(header, 26, file_.name()) +
             number_at<std::uint16_t>(header, 28, file_.name());
    const auto whole = static_cast<std::uint64_t>(file_.size());
    if (begin_ > whole || member.packed_size > whole - begin_) cut_short(file_.name());
    if (member.method != 0 && member.method != 8) {
      throw UserError({.file = file_.name()},
                      fmt::format("\"{}\" is compressed by method {}; only deflate is supported", member.name,
                                  member.method));
    }
    constexpr int kRaw = -MAX_WBITS;
    check(inflateInit2(&stream_, kRaw) == Z_OK, "zlib starts");
  }
  ~MemberSource() override { inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t most) override {
    most = std::min<std::uint64_t>(std::min<std::size_t>(most, 1 << 30), member_.size - done_);
    if (most == 0) return 0;
    const std::size_t got = member_.method == 0 ? copy(into, most) : unpack(into, most);
    if (got == 0) damaged();
    crc_ =
        static_cast<std::uint32_t>(crc32(crc_, reinterpret_cast<const Bytef*>(into), static_cast<uInt>(got)));
    done_ += got;
    if (done_ == member_.size && crc_ != member_.crc) damaged();
    return got;
  }

  Position position() const override {
    return {static_cast<std::int64_t>(taken_), static_cast<std::int64_t>(member_.packed_size)};
  }

 private:
  [[noreturn]] void damaged() const {
    throw UserError({.file = file_.name()},
                    fmt::format("\"{}\" is damaged: its checksum or its length is wrong", member_.name),
                    "copy or download it again");
  }

  std::size_t copy(char* into, std::size_t most) {
    most = std::min<std::uint64_t>(most, member_.packed_size - taken_);
    const std::size_t got = file_.read_at(static_cast<std::int64_t>(begin_ + taken_), into, most);
    taken_ += got;
    return got;
  }

  std::size_t unpack(char* into, std::size_t most) {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(most);
    while (stream_.avail_out == most) {
      if (stream_.avail_in == 0) {
        const std::size_t got = copy(packed_.data(), packed_.size());
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK) break;  // the end, or damage: then too few bytes came
    }
    return most - stream_.avail_out;
  }

  InputFile file_;
  ZipMember member_;
  std::vector<char> packed_;
  z_stream stream_{};
  std::uint64_t begin_ = 0;
  std::uint64_t taken_ = 0;  // packed bytes
  std::uint64_t done_ = 0;   // unpacked bytes
  std::uint32_t crc_ = 0;
};

}  // namespace

std::vector<ZipMember> read_zip(const std::filesystem::path& path) {
  const InputFile file(path);
  const Directory directory = find_directory(file);
  const std::string bytes = bytes_at(file, directory.offset, directory.size);
  std::vector<ZipMember> members;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto number32 = [&](std::size_t place) {
      return number_at<std::uint32_t>(bytes, at + place, file.name());
    };
    const auto number16 = [&](std::size_t place) {
      return number_at<std::uint16_t>(bytes, at + place, file.name());
    };
    if (number32(0) != kCentralHeader) cut_short(file.name());
    ZipMember member{.method = number16(10),
                     .crc = number32(16),
                     .packed_size = number32(20),
                     .size = number32(24),
                     .header_offset = number32(42)};
    const std::size_t name_size = number16(28);
    const std::size_t extra_size = number16(30);
    const std::size_t next = at + 46 + name_size + extra_size + number16(32);
    if (next > bytes.size()) cut_short(file.name());
    member.name = bytes.substr(at + 46, name_size);
    read_extra(std::string_view(bytes).substr(at + 46 + name_size, extra_size), member, file.name());
    members.push_back(std::move(member));
    at = next;
  }
  return members;
}

std::unique_ptr<ByteSource> open_zip_member(const std::filesystem::path& path, const ZipMember& member) {
  return std::make_unique<MemberSource>(path, member);
}

}  // namespace overture::data
