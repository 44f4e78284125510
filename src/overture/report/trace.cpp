#include "overture/report/trace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "overture/base/append.h"
#include "overture/base/check.h"
#include "overture/report/gzip.h"

namespace overture::report {
namespace {

// The length of the UTF-8 sequence at the front of `text`, or 0 where it is malformed (Unicode 15, table
// 3-7).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
  if (first < 0xE0) return 2;
  if (!continues(2)) return 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = first == 0xF0 && second < 0x90;
  const bool beyond_unicode = first == 0xF4 && second > 0x8F;
  return overlong || beyond_unicode || !continues(3) ? 0 : 4;
}

// Readers reject a whole file for one malformed byte, so such bytes become U+FFFD.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char first = text.front();
    if (length == 0) {
      out += "\uFFFD";
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += first;
    } else if (length == 1 && first < ' ') {
      append_format(out, "\\u{:04x}", static_cast<unsigned>(first));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

// Microseconds with the picoseconds as decimals. No double on the way: it would lose them after 2.5 hours.
void append_us(std::string& out, Duration d) {
  constexpr std::int64_t kPicosecondsPerUs = 1'000'000;
  append_format(out, "{}.{:06}", d.count() / kPicosecondsPerUs, d.count() % kPicosecondsPerUs);
}

// The ids that have both ends in this file, sorted.
std::vector<std::uint64_t> whole_arrows(std::span<const Trace> ranks) {
  std::vector<std::uint64_t> out;
  std::vector<std::uint64_t> in;
  for (const Trace& trace : ranks) {
    for (const TraceSlice& slice : trace.slices()) {
      if (slice.flow_out != 0) out.push_back(slice.flow_out);
      if (slice.flow_in != 0) in.push_back(slice.flow_in);
    }
  }
  for (auto* ids : {&out, &in}) {
    std::sort(ids->begin(), ids->end());
    check(std::adjacent_find(ids->begin(), ids->end()) == ids->end(), "an arrow has one start and one end");
  }
  std::vector<std::uint64_t> both;
  std::set_intersection(out.begin(), out.end(), in.begin(), in.end(), std::back_inserter(both));
  return both;
}

// By start; what contains others before them, as viewers nest rows in file order; else as added.
template <class Row>
std::vector<std::size_t> drawing_order(const std::vector<Row>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (rows[a].start != rows[b].start) return rows[a].start < rows[b].start;
    return rows[a].length > rows[b].length;
  });
  return order;
}

class Writer {
 public:
  Writer(std::span<const Trace> ranks, const std::filesystem::path& path)
      : ranks_(ranks), file_(path), arrows_(whole_arrows(ranks)) {}

  TraceWritten write() {
    head();
    for (const Trace& trace : ranks_) rank(trace);
    tail();
    file_.close();
    return written_;
  }

 private:
  // HTA finds the rank by a regular expression that needs the space after the colon.
  void head() {
    append_format(row_, R"({{
"schemaVersion": 1,
"distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": {}}},
"displayTimeUnit": "ns",
"traceEvents": [)",
                  ranks_.front().rank(), ranks_.front().world_size());
    flush();
  }

  void tail() {
    row_ += "\n]";
    if (const std::string note = to_know(); !note.empty()) {
      row_ += ",\n\"overture_note\": ";
      append_quoted(row_, note);
    }
    row_ += "\n}\n";
    flush();
  }

  // The first rank's note; of several ranks how many there were; and what was left out.
  std::string to_know() const {
    std::string note = ranks_.front().note();
    if (ranks_.size() > 1 && static_cast<int>(ranks_.size()) < ranks_.front().world_size()) {
      note += fmt::format("{}{} of {} ranks are in this trace", note.empty() ? "" : "; ", ranks_.size(),
                          ranks_.front().world_size());
    }
    if (written_.dropped > 0) {
      note +=
          fmt::format("{}{} of {} events were left out: a trace holds at most {}", note.empty() ? "" : "; ",
                      written_.dropped, written_.dropped + written_.events, written_.events);
    }
    return note;
  }

  void rank(const Trace& trace) {
    trace_ = &trace;
    written_.events += trace.events();
    written_.dropped += trace.dropped();
    spans_.clear();
    names();
    steps();
    slices();
    counters();
  }

  void names() {
    name_row("process_name", kHostStream, trace_->process());
    sort_row("process_sort_index", kHostStream, trace_->rank());
    std::map<int, std::string> streams = trace_->streams();
    streams.try_emplace(kHostStream, "host");
    for (const TraceSlice& slice : trace_->slices()) {
      if (!streams.contains(slice.stream)) streams[slice.stream] = fmt::format("stream {}", slice.stream);
    }
    for (const auto& [stream, name] : streams) {
      name_row("thread_name", stream, name);
      sort_row("thread_sort_index", stream, stream);
    }
  }

  void name_row(std::string_view what, int stream, std::string_view name) {
    start_row('M', stream, Time{});
    append_format(row_, R"(,"name":"{}","args":{{"name":)", what);
    append_quoted(row_, name);
    row_ += "}}";
    flush();
  }

  void sort_row(std::string_view what, int stream, int index) {
    start_row('M', stream, Time{});
    append_format(row_, R"(,"name":"{}","args":{{"sort_index":{}}}}})", what, index);
    flush();
  }

  // HTA joins each kernel with the row of the host that has the same correlation, and takes the kernel's step
  // from there. In a real trace that is the launch; here it is the step's own row: half as many rows.
  void steps() {
    for (const std::size_t i : drawing_order(trace_->steps())) {
      const TraceStep& step = trace_->steps()[i];
      spans_.push_back({step.start, step.start + step.length});
      start_row('X', kHostStream, step.start);
      row_ += R"(,"dur":)";
      append_us(row_, step.length);
      append_format(row_,
                    R"(,"cat":"user_annotation","name":"ProfilerStep#{}","args":{{"correlation":{}}}}})",
                    step.number, spans_.size());
      flush();
    }
  }

  // 0, HTA's word for "launched outside of the trace", where no step was under way.
  std::size_t correlation(Time start) const {
    const auto later = std::partition_point(spans_.begin(), spans_.end(),
                                            [&](const auto& step) { return step.first <= start; });
    if (later == spans_.begin() || start >= std::prev(later)->second) return 0;
    return static_cast<std::size_t>(later - spans_.begin());
  }

  void slices() {
    for (const std::size_t i : drawing_order(trace_->slices())) {
      const TraceSlice& slice = trace_->slices()[i];
      start_row('X', slice.stream, slice.start);
      row_ += R"(,"dur":)";
      append_us(row_, slice.length);
      row_ += R"(,"cat":)";
      append_quoted(row_, slice.category);
      row_ += R"(,"name":)";
      append_quoted(row_, slice.name);
      slice_args(slice);
      row_ += '}';
      arrow('s', slice.flow_out, slice);
      arrow('f', slice.flow_in, slice);
      flush();
    }
  }

  void slice_args(const TraceSlice& slice) {
    row_ += R"(,"args":{)";
    const std::size_t empty = row_.size();
    if (slice.stream != kHostStream) {
      append_format(row_, R"("stream":{},"correlation":{})", slice.stream, correlation(slice.start));
    }
    if (slice.collective) collective_args(*slice.collective);
    for (const auto& [key, value] : slice.args) {
      if (row_.size() > empty) row_ += ',';
      append_quoted(row_, key);
      row_ += ':';
      append_quoted(row_, value);
    }
    row_ += '}';
  }

  // The element is the byte: what a simulated message is made of has no other type.
  void collective_args(const TraceCollective& c) {
    row_ += R"(,"Collective name":)";
    append_quoted(row_, c.collective);
    append_format(row_, R"(,"In msg nelems":{},"Out msg nelems":{},"Group size":{},"dtype":"Byte")",
                  c.in.count(), c.out.count(), c.group_size);
    row_ += R"(,"Process Group Name":)";
    append_quoted(row_, c.group);
  }

  // Both ends stand at the start of their slice, right after its row: that is where viewers look for the
  // slice that an arrow belongs to. At its end they would find the next one on the stream.
  void arrow(char phase, std::uint64_t id, const TraceSlice& slice) {
    if (!std::binary_search(arrows_.begin(), arrows_.end(), id)) return;
    start_row(phase, slice.stream, slice.start);
    append_format(row_, R"(,"cat":"flow","name":"flow","id":{}{}}})", id, phase == 'f' ? R"(,"bp":"e")" : "");
  }

  void counters() {
    for (const TraceCounter& counter : trace_->counters()) {
      start_row('C', kHostStream, counter.when);
      row_ += R"(,"name":)";
      append_quoted(row_, counter.name);
      append_format(row_, R"(,"args":{{"value":{}}}}})", counter.value);
      flush();
    }
  }

  void start_row(char phase, int stream, Time when) {
    row_ += first_row_ ? "\n" : ",\n";
    append_format(row_, R"({{"ph":"{}","pid":{},"tid":{},"ts":)", phase, trace_->rank(), stream);
    first_row_ = false;
    append_us(row_, when.time_since_epoch());
  }

  void flush() {
    file_.write(row_);
    row_.clear();
  }

  std::span<const Trace> ranks_;  // outlive the writer
  const Trace* trace_ = nullptr;  // being written
  TraceWritten written_;
  GzipFile file_;
  std::vector<std::uint64_t> arrows_;
  std::vector<std::pair<Time, Time>> spans_;  // of the steps; the place here, from 1, is the correlation
  std::string row_;                           // not yet in the file
  bool first_row_ = true;
};

}  // namespace

Trace::Trace(int rank, int world_size, std::size_t max_events)
    : rank_(rank), world_size_(world_size), max_events_(max_events), process_(fmt::format("rank {}", rank)) {
  check(rank >= 0 && rank < world_size, "a rank is one of its world");
}

bool Trace::has_room() {
  if (events() < max_events_) return true;
  ++dropped_;
  return false;
}

void Trace::add(TraceSlice slice) {
  check(slice.start >= Time{} && slice.length >= Duration{},
        "nothing starts before time zero or ends before it starts");
  check(slice.stream >= kHostStream, "streams count from 1, the host is 0");
  check(!slice.collective || slice.stream != kHostStream, "a collective runs on a stream of the device");
  if (has_room()) slices_.push_back(std::move(slice));
}

void Trace::add(TraceCounter counter) {
  check(counter.when >= Time{} && std::isfinite(counter.value), "a counter has a time and a number");
  if (has_room()) counters_.push_back(std::move(counter));
}

void Trace::add(TraceStep step) {
  check(step.start >= Time{} && step.length >= Duration{} && step.number >= 0,
        "a step has a number and a time");
  if (has_room()) steps_.push_back(step);
}

TraceWritten write_trace(std::span<const Trace> ranks, const std::filesystem::path& path) {
  check(!ranks.empty(), "a trace has a rank");
  return Writer(ranks, path).write();
}

TraceWritten write_trace(const Trace& trace, const std::filesystem::path& path) {
  return write_trace(std::span(&trace, 1), path);
}

TraceWritten write_trace_files(std::span<const Trace> ranks, const std::filesystem::path& folder) {
  if (ranks.size() > 1) {
    std::filesystem::create_directories(folder / "hta");
    for (const Trace& trace : ranks)
      write_trace(trace, folder / "hta" / fmt::format("rank_{}.json.gz", trace.rank()));
  }
  return write_trace(ranks, folder / "trace.json.gz");
}

int StreamLanes::take(Time start, Time end) {
  const auto free = std::find_if(free_at_.begin(), free_at_.end(), [&](Time t) { return t <= start; });
  const auto lane = free - free_at_.begin();
  if (free == free_at_.end()) {
    free_at_.push_back(end);
  } else {
    *free = end;
  }
  return first_ + static_cast<int>(lane);
}

std::vector<int> sampled_ranks(int ranks, int most) {
  const int count = std::min(ranks, most);
  const int first = ranks <= most ? count : (most + 1) / 2;
  std::vector<int> chosen;
  for (int i = 0; i < first; ++i) chosen.push_back(i);
  for (int i = 0; i < count - first; ++i)
    chosen.push_back(first + static_cast<int>(std::int64_t{i} * (ranks - first) / (count - first)));
  return chosen;
}

}  // namespace overture::report
