#include "overture/data/byte_source.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/data/input_file.h"

namespace overture::data {
namespace {

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(const std::filesystem::path& path) : file_(path) {}

  std::size_t read(char* into, std::size_t most) override {
    const std::size_t got = file_.read_at(place_, into, most);
    place_ += static_cast<std::int64_t>(got);
    return got;
  }
  Position position() const override { return {place_, file_.size()}; }

 private:
  InputFile file_;
  std::int64_t place_ = 0;
};

// What gzip and zstd share: a buffer of packed bytes, filled when it is empty.
class PackedSource : public ByteSource {
 public:
  explicit PackedSource(const std::filesystem::path& path) : file_(path), packed_(1 << 18) {}
  Position position() const override { return {place_, file_.size()}; }

 protected:
  // False at the end of the file.
  bool refill() {
    begin_ = 0;
    end_ = file_.read_at(place_, packed_.data(), packed_.size());
    place_ += static_cast<std::int64_t>(end_);
    return end_ > 0;
  }
  [[noreturn]] void cut_short() const {
    throw UserError({.file = file_.name()}, "is cut short: its compressed data ends in the middle",
                    "copy or download it again");
  }
  [[noreturn]] void damaged(std::string_view kind) const {
    throw UserError({.file = file_.name()},
                    std::string("is damaged: not valid ") + std::string(kind) + " data",
                    "copy or download it again");
  }

  InputFile file_;
  std::vector<char> packed_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t place_ = 0;
};

class GzipSource final : public PackedSource {
 public:
  explicit GzipSource(const std::filesystem::path& path) : PackedSource(path) {
    constexpr int kGzip = 16 + MAX_WBITS;
    check(inflateInit2(&stream_, kGzip) == Z_OK, "zlib starts");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t most) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(most, 1 << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (begin_ == end_ && !refill()) {
        if (inside_) cut_short();
        break;
      }
      step();
    }
    return wanted - stream_.avail_out;
  }

 private:
  void step() {
    // A file may be several gzip members, one behind the other.
    if (!inside_ && inflateReset(&stream_) != Z_OK) damaged("gzip");
    inside_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data() + begin_);
    stream_.avail_in = static_cast<uInt>(end_ - begin_);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    begin_ = end_ - stream_.avail_in;
    if (status == Z_STREAM_END) inside_ = false;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) damaged("gzip");
  }

  z_stream stream_{};
  bool inside_ = true;  // a member; an empty file is cut short
};

class ZstdSource final : public PackedSource {
 public:
  explicit ZstdSource(const std::filesystem::path& path)
      : PackedSource(path), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {}

  std::size_t read(char* into, std::size_t most) override {
    ZSTD_outBuffer out{into, most, 0};
    while (out.pos == 0) {
      if (begin_ == end_ && !refill()) {
        // The last frame may still hold back bytes that it has unpacked already.
        if (inside_ && unpack(out) == 0) cut_short();
        break;
      }
      unpack(out);
    }
    return out.pos;
  }

 private:
  std::size_t unpack(ZSTD_outBuffer& out) {
    ZSTD_inBuffer in{packed_.data() + begin_, end_ - begin_, 0};
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(left) != 0) damaged("zstd");
    begin_ += in.pos;
    inside_ = left != 0;
    return out.pos;
  }

  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  bool inside_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  std::array<char, 4> start{};
  const std::size_t got = InputFile(path).read_at(0, start.data(), start.size());
  const std::string_view magic(start.data(), got);
  if (magic.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(path);
  if (magic == "\x28\xb5\x2f\xfd") return std::make_unique<ZstdSource>(path);
  return std::make_unique<PlainSource>(path);
}

std::size_t read_fully(ByteSource& source, char* into, std::size_t most) {
  std::size_t done = 0;
  while (done < most) {
    const std::size_t got = source.read(into + done, most - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

}  // namespace overture::data
