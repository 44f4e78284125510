#include "overture/data/zip_writer.h"

#include <cstring>

#include <zlib.h>

namespace overture::data {
namespace {

constexpr std::uint32_t kInExtraField = 0xFFFFFFFF;  // the number is in the extra field
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint16_t kPadding = 0x4f56;  // an extra field that nobody reads

// Numbers as zip has them: little-endian, without gaps.
class Record {
 public:
  template <class T>
  Record& put(T number) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &number, sizeof(T));
    text_.append(bytes, sizeof(T));
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class T>
T narrow(std::uint64_t number) {
  return static_cast<T>(number);
}

}  // namespace

// Sizes are always written in 64 bits, so that a member of any size has the same form.
void ZipWriter::add(const std::string& name, const std::function<void(const Sink&)>& produce) {
  Member member{.name = name, .crc = 0, .size = 0, .offset = static_cast<std::uint64_t>(file_.size())};
  uLong crc = crc32_z(0, nullptr, 0);
  produce([&](std::span<const std::byte> bytes) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    member.size += bytes.size();
  });
  member.crc = narrow<std::uint32_t>(crc);
  const std::uint64_t unpadded = member.offset + 30 + name.size() + 20 + 4;
  const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  Record header;
  header.put(std::uint32_t{0x04034b50}).put(std::uint16_t{45}).put(std::uint16_t{0}).put(std::uint16_t{0});
  header.put(std::uint16_t{0}).put(std::uint16_t{0x21});  // midnight, 1 January 1980
  header.put(member.crc).put(kInExtraField).put(kInExtraField).put(narrow<std::uint16_t>(name.size()));
  header.put(narrow<std::uint16_t>(20 + 4 + padding));
  file_.write(header.text() + name);
  Record extra;
  extra.put(std::uint16_t{1}).put(std::uint16_t{16}).put(member.size).put(member.size);
  extra.put(kPadding).put(narrow<std::uint16_t>(padding));
  file_.write(extra.text() + std::string(padding, '\0'));
  produce([&](std::span<const std::byte> bytes) { file_.write(bytes.data(), bytes.size()); });
  members_.push_back(std::move(member));
}

void ZipWriter::add(const std::string& name, const std::string& text) {
  add(name, [&](const Sink& sink) { sink(std::as_bytes(std::span(text))); });
}

void ZipWriter::finish() {
  const auto start = static_cast<std::uint64_t>(file_.size());
  for (const Member& member : members_) {
    Record entry;
    entry.put(std::uint32_t{0x02014b50}).put(std::uint16_t{45}).put(std::uint16_t{45}).put(std::uint16_t{0});
    entry.put(std::uint16_t{0}).put(std::uint16_t{0}).put(std::uint16_t{0x21});
    entry.put(member.crc)
        .put(kInExtraField)
        .put(kInExtraField)
        .put(narrow<std::uint16_t>(member.name.size()));
    entry.put(std::uint16_t{28}).put(std::uint16_t{0}).put(std::uint16_t{0}).put(std::uint16_t{0});
    entry.put(std::uint32_t{0}).put(kInExtraField);
    Record extra;
    extra.put(std::uint16_t{1}).put(std::uint16_t{24}).put(member.size).put(member.size).put(member.offset);
    file_.write(entry.text() + member.name + extra.text());
  }
  const std::uint64_t size = static_cast<std::uint64_t>(file_.size()) - start;
  const std::uint64_t count = members_.size();
  Record end;
  end.put(std::uint32_t{0x06064b50}).put(std::uint64_t{44}).put(std::uint16_t{45}).put(std::uint16_t{45});
  end.put(std::uint32_t{0}).put(std::uint32_t{0}).put(count).put(count).put(size).put(start);
  end.put(std::uint32_t{0x07064b50}).put(std::uint32_t{0}).put(start + size).put(std::uint32_t{1});
  end.put(std::uint32_t{0x06054b50}).put(std::uint16_t{0}).put(std::uint16_t{0});
  end.put(std::uint16_t{0xFFFF})
      .put(std::uint16_t{0xFFFF})
      .put(kInExtraField)
      .put(kInExtraField)
      .put(std::uint16_t{0});
  file_.write(end.text());
  file_.close();
}

}  // namespace overture::data
