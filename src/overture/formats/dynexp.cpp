#include "overture/formats/dynexp.h"

#include <charconv>
#include <span>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::formats {

using namespace topology;
namespace {

constexpr int kParts = 3;

// The numbers of a file, line by line.
class Lines {
 public:
  Lines(std::string_view text, std::string_view name) : text_(text), where_{.file = std::string(name)} {}

  bool done() const { return text_.find_first_not_of(" \t\r\n") == std::string_view::npos; }

  // The next line's numbers; valid until the next call.
  std::span<const std::int64_t> next(std::string_view what) {
    if (done()) {
      throw UserError(where_, fmt::format("the file ends where {} should be", what),
                      "the file may be cut short");
    }
    ++where_.line;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    numbers_.clear();
    const char* at = text_.data();
    const char* const stop = at + end;
    for (;;) {
      while (at != stop && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
      if (at == stop) break;
      std::int64_t number = 0;
      const auto [after, error] = std::from_chars(at, stop, number);
      if (error != std::errc{}) fail(fmt::format("{} is not made of whole numbers", what));
      numbers_.push_back(number);
      at = after;
    }
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return numbers_;
  }

  std::span<const std::int64_t> next(std::string_view what, std::size_t count) {
    const auto numbers = next(what);
    if (numbers.size() != count) {
      fail(fmt::format("{} numbers found for {}, not {}", numbers.size(), what, count));
    }
    return numbers;
  }

  [[noreturn]] void fail(const std::string& what) const { throw UserError(where_, what); }
  const Where& where() const { return where_; }

 private:
  std::string_view text_;
  Where where_;
  std::vector<std::int64_t> numbers_;
};

struct Header {
  int downlinks = 0;
  int uplinks = 0;
  int tors = 0;
  OperaTiming timing;
};

Header read_header(Lines& lines) {
  constexpr std::int64_t kMost = 1 << 16;
  const auto sizes = lines.next("the line of hosts, downlinks, uplinks and ToRs", 4);
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kMost * kMost)
      lines.fail(fmt::format("{} is not a number of hosts or ports", size));
  }
  const std::int64_t hosts = sizes[0];
  if (sizes[1] > kMost || sizes[2] > 255 || sizes[3] > 4096) lines.fail("the network is too large");
  const Header header{.downlinks = static_cast<int>(sizes[1]),
                      .uplinks = static_cast<int>(sizes[2]),
                      .tors = static_cast<int>(sizes[3])};
  if (hosts != sizes[1] * sizes[3]) {
    lines.fail(fmt::format("{} hosts are not {} ToRs of {} downlinks", hosts, header.tors, header.downlinks));
  }
  if (header.tors % header.uplinks != 0) {
    lines.fail(fmt::format("{} rotors cannot share {} matchings evenly", header.uplinks, header.tors));
  }
  return header;
}

void read_timing(Lines& lines, Header& header) {
  const auto numbers = lines.next("the line of slices and their timing", 4);
  if (numbers[0] != kParts * header.tors) {
    lines.fail(fmt::format("{} slices are not {} for each of {} ToRs", numbers[0], kParts, header.tors));
  }
  constexpr std::int64_t kLongest = 1'000'000'000'000'000;  // 1000 s
  for (const std::int64_t ps : numbers.subspan(1)) {
    if (ps < 0 || ps > kLongest) lines.fail(fmt::format("{} ps is not a part of a slice", ps));
  }
  header.timing = {
      .stable = Duration{numbers[1]}, .drain = Duration{numbers[2]}, .dark = Duration{numbers[3]}};
}

// [part of slice][tor * uplinks + uplink]
using Circuits = std::vector<std::vector<std::int32_t>>;

Circuits read_circuits(Lines& lines, const Header& header) {
  Circuits circuits;
  const auto entries = static_cast<std::size_t>(header.tors) * static_cast<std::size_t>(header.uplinks);
  for (int part = 0; part < kParts * header.tors; ++part) {
    auto& row = circuits.emplace_back();
    for (const std::int64_t tor : lines.next(fmt::format("the circuits of slice {}", part), entries)) {
      if (tor < -1 || tor >= header.tors) lines.fail(fmt::format("there is no ToR {}", tor));
      row.push_back(static_cast<std::int32_t>(tor));
    }
  }
  return circuits;
}

std::vector<std::vector<Matching>> matchings_of(const Circuits& circuits, const Header& header) {
  std::vector<std::vector<Matching>> rotors(static_cast<std::size_t>(header.uplinks));
  for (int rotor = 0; rotor < header.uplinks; ++rotor) {
    for (int phase = 0; phase < header.tors; phase += header.uplinks) {
      const auto& row = circuits[static_cast<std::size_t>(kParts * ((phase + rotor) % header.tors))];
      Matching& matching = rotors[rotor].emplace_back();
      for (int tor = 0; tor < header.tors; ++tor) matching.push_back(row[tor * header.uplinks + rotor]);
    }
  }
  return rotors;
}

std::int32_t circuit(const Opera& opera, int part, int tor, int uplink) {
  const int slice = part / kParts;
  if (part % kParts == kParts - 1 && uplink == opera.dark_rotor(slice)) return -1;
  return opera.peer(slice, tor, uplink);
}

void require_same(const Circuits& circuits, const Opera& opera, const std::string& file) {
  constexpr int kFirstLine = 3;
  for (int part = 0; part < kParts * opera.slices(); ++part) {
    for (int tor = 0; tor < opera.tors(); ++tor) {
      for (int uplink = 0; uplink < opera.uplinks(); ++uplink) {
        const std::int32_t found = circuits[part][tor * opera.uplinks() + uplink];
        const std::int32_t expected = circuit(opera, part, tor, uplink);
        if (found == expected) continue;
        throw UserError({.file = file, .line = kFirstLine + part},
                        fmt::format("uplink {} of ToR {} leads to {}, but the rotors' turn makes it {}",
                                    uplink, tor, found, expected));
      }
    }
  }
}

Opera build(const Circuits& circuits, const Header& header, const std::string& file) {
  try {
    Opera opera(header.downlinks, matchings_of(circuits, header), header.timing);
    require_same(circuits, opera, file);
    return opera;
  } catch (const UserError& error) {
    if (std::string_view(error.what()).find(file) != std::string_view::npos) throw;
    throw UserError({.file = file}, error.what());
  }
}

class PathReader {
 public:
  PathReader(Lines& lines, const Opera& opera) : lines_(lines), opera_(opera), paths_(opera.tors()) {}

  OperaPaths read() {
    read_number(0);
    for (int part = 0; part < kParts * opera_.slices(); ++part) {
      const bool first = part % kParts == 0;
      if (first) seen_.clear();
      read_part(part, first);
    }
    paths_.finish();
    return std::move(paths_);
  }

 private:
  void read_number(int part) {
    const auto line = lines_.next(fmt::format("the number of slice {}", part), 1);
    if (line[0] != part) lines_.fail(fmt::format("slice {} comes where slice {} should", line[0], part));
  }

  // All three parts of a slice have the same paths; only the first is kept.
  void read_part(int part, bool first) {
    std::size_t compared = 0;
    int pair = -1;
    const int pairs = opera_.tors() * opera_.tors();
    for (;;) {
      const bool last_part = part + 1 == kParts * opera_.slices();
      if (last_part && lines_.done()) break;
      const auto line = lines_.next(fmt::format("a path of slice {}", part));
      if (line.size() == 1) {
        if (line[0] != part + 1) lines_.fail(fmt::format("slice {} follows slice {}", line[0], part));
        break;
      }
      const int here = check_path(line, part / kParts);
      if (first) {
        advance(pair, here);
        paths_.add_path(uplinks_);
        seen_.insert(seen_.end(), line.begin(), line.end());
      } else {
        compare(line, compared, part);
      }
    }
    if (first) advance(pair, pairs);
    if (!first && compared != seen_.size()) lines_.fail(fmt::format("slice {} lacks paths", part));
  }

  // Opens the pairs up to `next`; only a ToR and itself may go without a path.
  void advance(int& pair, int next) {
    if (next < pair) lines_.fail("paths are not in the order of their ToRs");
    while (pair < next) {
      ++pair;
      const int tors = opera_.tors();
      if (pair == tors * tors) return;
      paths_.add_pair();
      if (pair < next && pair / tors != pair % tors) {
        lines_.fail(fmt::format("there is no path from ToR {} to ToR {}", pair / tors, pair % tors));
      }
    }
  }

  int check_path(std::span<const std::int64_t> line, int slice) {
    const int tors = opera_.tors();
    if (line.size() < 3) lines_.fail("a path has two ToRs and at least one port");
    if (line[0] < 0 || line[0] >= tors || line[1] < 0 || line[1] >= tors || line[0] == line[1]) {
      lines_.fail(fmt::format("there is no path from ToR {} to ToR {}", line[0], line[1]));
    }
    uplinks_.clear();
    int tor = static_cast<int>(line[0]);
    for (const std::int64_t port : line.subspan(2)) {
      const std::int64_t uplink = port - opera_.hosts_per_tor();
      if (uplink < 0 || uplink >= opera_.uplinks())
        lines_.fail(fmt::format("port {} is not an uplink", port));
      if (uplink == opera_.dark_rotor(slice)) {
        lines_.fail(fmt::format("a path takes port {}, which goes dark in this slice", port));
      }
      uplinks_.push_back(static_cast<std::uint8_t>(uplink));
      tor = opera_.peer(slice, tor, static_cast<int>(uplink));
    }
    if (tor != line[1]) lines_.fail(fmt::format("the path leads to ToR {}, not {}", tor, line[1]));
    return static_cast<int>(line[0]) * tors + static_cast<int>(line[1]);
  }

  void compare(std::span<const std::int64_t> line, std::size_t& compared, int part) {
    const auto kept = std::span<const std::int64_t>(seen_).subspan(std::min(compared, seen_.size()));
    if (kept.size() < line.size() || !std::equal(line.begin(), line.end(), kept.begin())) {
      lines_.fail(fmt::format("the paths of slice {} differ from those of the slice's first part", part));
    }
    compared += line.size();
  }

  Lines& lines_;
  const Opera& opera_;
  OperaPaths paths_;
  std::vector<std::uint8_t> uplinks_;
  std::vector<std::int64_t> seen_;  // the lines of the slice's first part, one after the other
};

}  // namespace

Dynexp parse_dynexp(std::string_view text, std::string_view name) {
  Lines lines(text, name);
  Header header = read_header(lines);
  read_timing(lines, header);
  const Circuits circuits = read_circuits(lines, header);
  Opera opera = build(circuits, header, lines.where().file);
  OperaPaths paths = PathReader(lines, opera).read();
  return {.opera = std::move(opera), .paths = std::move(paths)};
}

Dynexp read_dynexp(const std::filesystem::path& path) { return parse_dynexp(read_file(path), path.string()); }

std::string write_dynexp(const Opera& opera, const OperaPaths& paths) {
  std::string out;
  const auto print_one = [&out](std::int64_t number) {
    const fmt::format_int digits(number);
    out.append(digits.data(), digits.size()).push_back(' ');
  };
  const auto print = [&](auto... number) { (print_one(number), ...); };
  const auto end_line = [&out] { out.back() = '\n'; };
  const int parts = kParts * opera.slices();
  const OperaTiming& timing = opera.timing();
  print(opera.hosts(), opera.hosts_per_tor(), opera.uplinks(), opera.tors());
  end_line();
  print(parts, timing.stable.count(), timing.drain.count(), timing.dark.count());
  end_line();
  for (int part = 0; part < parts; ++part) {
    for (int tor = 0; tor < opera.tors(); ++tor) {
      for (int uplink = 0; uplink < opera.uplinks(); ++uplink) print(circuit(opera, part, tor, uplink));
    }
    end_line();
  }
  for (int part = 0; part < parts; ++part) {
    print(part);
    end_line();
    const int slice = part / kParts;
    for (int from = 0; from < opera.tors(); ++from) {
      for (int to = 0; to < opera.tors(); ++to) {
        for (int number = 0; number < paths.count(slice, from, to); ++number) {
          print(from, to);
          for (const int uplink : paths.path(slice, from, to, number)) print(opera.hosts_per_tor() + uplink);
          end_line();
        }
      }
    }
  }
  out.pop_back();
  return out;
}

}  // namespace overture::formats
