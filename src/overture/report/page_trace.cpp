#include "overture/report/page_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <istream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "overture/base/append.h"
#include "overture/base/text.h"
#include "overture/report/gzip_reader.h"
#include "overture/report/page_text.h"
#include "overture/report/trace_reader.h"

namespace overture::report {
namespace {

using Stream = std::pair<std::int64_t, std::int64_t>;  // pid, tid

// Texts by number, in the order in which they came.
class Words {
 public:
  std::int32_t code(const std::string& word) {
    const auto [place, is_new] = codes_.try_emplace(word, static_cast<std::int32_t>(words_.size()));
    if (is_new) words_.push_back(word);
    return place->second;
  }
  std::string json() const {
    std::string out;
    for (const std::string& word : words_) out += (out.empty() ? "" : ",") + json_text(word);
    return "[" + out + "]";
  }

 private:
  std::unordered_map<std::string, std::int32_t> codes_;
  std::vector<std::string> words_;
};

struct Slice {
  std::size_t track;
  std::int64_t start;
  std::int64_t length;
  std::int32_t name;
  std::vector<std::pair<std::uint8_t, std::int32_t>> args;  // argument, word
};

struct Track {
  Stream stream;
  std::string thread;
  std::int64_t order = 0;
  std::size_t last_slice = 0;  // by which arrows find theirs; counts from 1
};

struct Argument {
  std::string name;
  Words words;
};

struct Counter {
  std::int64_t pid;
  std::string name;
  std::vector<std::int64_t> when;
  std::vector<std::string> value;
};

// Beyond a hundred days something else is wrong; no such time is worth an overflow.
std::int64_t picoseconds(double us) { return std::abs(us) < 9e12 ? std::llround(us * 1e6) : 0; }

// A counter may come with any argument; only a number can be drawn.
bool is_number(const std::string& text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value);
}

// What every slice has and says nothing to a reader.
bool is_dull(const std::string& argument) {
  static const std::set<std::string> dull{"stream", "correlation", "dtype",
                                          "device", "External id", "Process Group Ranks",
                                          "Ev Idx", "context",     "Sequence number"};
  return dull.contains(argument);
}

class Packer {
 public:
  void read(const std::filesystem::path& file) {
    GzipReader buffer(file);
    std::istream input(&buffer);
    const TraceRead result = read_trace(input, [this](const TraceEvent& event) { add(event); });
    if (!result.note.empty()) notes_.push_back(result.note);
    if (!result.whole || !buffer.whole()) notes_.push_back(file.filename().string() + " is cut short");
  }

  std::string pack(std::size_t max_slices) {
    if (slices_.empty()) return {};
    order_tracks();
    choose(max_slices);
    return fmt::format(
        R"({{"slices":{},"kept":{},"tracks":{},"names":{},"arguments":{},"arrows":{},"counters":{},"notes":{}}})",
        slices_.size(), kept_.size(), tracks_json(), names_.json(), arguments_json(), arrows_json(),
        counters_json(), notes_json());
  }

 private:
  static constexpr std::size_t kArguments = 32;
  static constexpr std::size_t kCounterSteps = 20'000;

  void add(const TraceEvent& event) {
    switch (event.phase) {
      case 'X': add_slice(event); break;
      case 'M': add_name(event); break;
      case 'C': add_counter(event); break;
      case 's': starts_.try_emplace(event.id, track(event).last_slice); break;
      case 'f': ends_.try_emplace(event.id, track(event).last_slice); break;
      default: break;
    }
  }

  Track& track(const TraceEvent& event) { return tracks_[track_index(event)]; }

  std::size_t track_index(const TraceEvent& event) {
    const Stream stream{event.pid, event.tid};
    const auto [place, is_new] = track_of_.try_emplace(stream, tracks_.size());
    if (is_new) {
      tracks_.push_back(
          {.stream = stream, .thread = fmt::format("stream {}", event.tid), .order = event.tid});
    }
    return place->second;
  }

  void add_slice(const TraceEvent& event) {
    const std::size_t index = track_index(event);
    Slice slice{.track = index,
                .start = picoseconds(event.ts_us),
                .length = picoseconds(event.dur_us),
                .name = names_.code(event.name)};
    for (const auto& [key, value] : event.args) {
      if (const auto argument = argument_index(key)) {
        slice.args.emplace_back(static_cast<std::uint8_t>(*argument),
                                arguments_[*argument].words.code(value));
      }
    }
    slices_.push_back(std::move(slice));
    tracks_[index].last_slice = slices_.size();
  }

  std::optional<std::size_t> argument_index(const std::string& key) {
    if (const auto known = argument_of_.find(key); known != argument_of_.end()) return known->second;
    if (arguments_.size() == kArguments || is_dull(key)) return std::nullopt;
    arguments_.push_back({key, {}});
    return argument_of_[key] = arguments_.size() - 1;
  }

  void add_name(const TraceEvent& event) {
    if (event.args.empty()) return;
    const std::string& value = event.args.front().second;
    if (event.name == "process_name") processes_[event.pid] = value;
    if (event.name == "thread_name") track(event).thread = value;
    if (event.name == "thread_sort_index") track(event).order = std::atoll(value.c_str());
  }

  void add_counter(const TraceEvent& event) {
    if (event.args.empty() || !is_number(event.args.front().second)) return;
    const auto [place, is_new] = counter_of_.try_emplace({event.pid, event.name}, counters_.size());
    if (is_new) counters_.push_back({event.pid, event.name, {}, {}});
    Counter& counter = counters_[place->second];
    if (counter.when.size() == kCounterSteps) {
      if (!counters_cut_) notes_.push_back(fmt::format("counters show their first {} steps", kCounterSteps));
      counters_cut_ = true;
      return;
    }
    counter.when.push_back(picoseconds(event.ts_us));
    counter.value.push_back(event.args.front().second);
  }

  // Ranks in order, and each one's streams as the file wants them.
  void order_tracks() {
    track_order_.resize(tracks_.size());
    std::iota(track_order_.begin(), track_order_.end(), std::size_t{0});
    std::stable_sort(track_order_.begin(), track_order_.end(), [this](std::size_t a, std::size_t b) {
      return std::pair{tracks_[a].stream.first, tracks_[a].order} <
             std::pair{tracks_[b].stream.first, tracks_[b].order};
    });
    place_of_track_.resize(tracks_.size());
    for (std::size_t i = 0; i < track_order_.size(); ++i) place_of_track_[track_order_[i]] = i;
  }

  // The longest, then in the order of the page: by track, start, and what contains others before them.
  void choose(std::size_t max_slices) {
    kept_.resize(slices_.size());
    std::iota(kept_.begin(), kept_.end(), std::size_t{0});
    if (kept_.size() > max_slices) {
      std::stable_sort(kept_.begin(), kept_.end(), [this](std::size_t a, std::size_t b) {
        return slices_[a].length > slices_[b].length;
      });
      kept_.resize(max_slices);
    }
    std::sort(kept_.begin(), kept_.end(), [this](std::size_t a, std::size_t b) {
      const auto key = [this](std::size_t i) {
        const Slice& slice = slices_[i];
        return std::tuple{place_of_track_[slice.track], slice.start, -slice.length, i};
      };
      return key(a) < key(b);
    });
  }

  std::string process(std::int64_t pid) const {
    const auto known = processes_.find(pid);
    return known == processes_.end() ? fmt::format("process {}", pid) : known->second;
  }

  std::string tracks_json() const {
    std::string out;
    std::size_t next = 0;
    for (std::size_t place = 0; place < track_order_.size(); ++place) {
      std::string start;
      std::string length;
      std::string name;
      std::int64_t before = 0;
      for (; next < kept_.size() && place_of_track_[slices_[kept_[next]].track] == place; ++next) {
        const Slice& slice = slices_[kept_[next]];
        const char* separator = start.empty() ? "" : ",";
        append_format(start, "{}{}", separator, slice.start - before);
        append_format(length, "{}{}", separator, slice.length);
        append_format(name, "{}{}", separator, slice.name);
        before = slice.start;
      }
      const Track& track = tracks_[track_order_[place]];
      out += fmt::format(
          R"({}{{"pid":{},"tid":{},"process":{},"thread":{},"start":[{}],"length":[{}],"name":[{}]}})",
          out.empty() ? "" : ",", track.stream.first, track.stream.second,
          json_text(process(track.stream.first)), json_text(track.thread), start, length, name);
    }
    return "[" + out + "]";
  }

  std::string arguments_json() const {
    std::vector<std::vector<std::int32_t>> codes(arguments_.size(),
                                                 std::vector<std::int32_t>(kept_.size(), -1));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      for (const auto& [argument, word] : slices_[kept_[i]].args) codes[argument][i] = word;
    }
    std::string out;
    for (std::size_t a = 0; a < arguments_.size(); ++a) {
      out += fmt::format(R"({}{{"name":{},"words":{},"codes":[{}]}})", out.empty() ? "" : ",",
                         json_text(arguments_[a].name), arguments_[a].words.json(), fmt::join(codes[a], ","));
    }
    return "[" + out + "]";
  }

  std::string arrows_json() const {
    std::unordered_map<std::size_t, std::size_t> place;
    for (std::size_t i = 0; i < kept_.size(); ++i) place[kept_[i] + 1] = i;
    std::vector<std::size_t> from;
    std::vector<std::size_t> to;
    for (const auto& [id, start] : starts_) {
      const auto end = ends_.find(id);
      if (end == ends_.end() || !place.contains(start) || !place.contains(end->second)) continue;
      from.push_back(place.at(start));
      to.push_back(place.at(end->second));
    }
    return fmt::format(R"({{"from":[{}],"to":[{}]}})", fmt::join(from, ","), fmt::join(to, ","));
  }

  std::string counters_json() const {
    std::string out;
    for (const Counter& counter : counters_) {
      std::vector<std::int64_t> steps(counter.when.size());
      std::adjacent_difference(counter.when.begin(), counter.when.end(), steps.begin());
      out += fmt::format(R"({}{{"process":{},"name":{},"when":[{}],"value":[{}]}})", out.empty() ? "" : ",",
                         json_text(process(counter.pid)), json_text(counter.name), fmt::join(steps, ","),
                         fmt::join(counter.value, ","));
    }
    return "[" + out + "]";
  }

  std::string notes_json() const {
    std::string out;
    for (const std::string& note : notes_) out += (out.empty() ? "" : ",") + json_text(note);
    return "[" + out + "]";
  }

  std::vector<Track> tracks_;
  std::map<Stream, std::size_t> track_of_;
  std::map<std::int64_t, std::string> processes_;
  std::vector<Slice> slices_;
  Words names_;
  std::vector<Argument> arguments_;
  std::map<std::string, std::size_t> argument_of_;
  std::map<std::int64_t, std::size_t> starts_;  // of arrows: their slice, from 1
  std::map<std::int64_t, std::size_t> ends_;
  std::vector<Counter> counters_;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> counter_of_;
  bool counters_cut_ = false;
  std::vector<std::string> notes_;
  std::vector<std::size_t> track_order_;
  std::vector<std::size_t> place_of_track_;
  std::vector<std::size_t> kept_;
};

}  // namespace

std::string pack_traces(const std::vector<std::filesystem::path>& files, std::size_t max_slices) {
  Packer packer;
  for (const std::filesystem::path& file : files) packer.read(file);
  return packer.pack(max_slices);
}

}  // namespace overture::report
