#include "overture/formats/htsim_log.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::formats {
namespace {

constexpr int kMostNodes = 1 << 20;
constexpr std::string_view kTaskWords = " finished one task,";

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = line.find_first_not_of(" \t\r", at);
    if (start == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
    words.push_back(line.substr(start, end - start));
    at = end;
  }
  return words;
}

struct FlowLine {
  int from;
  int to;
  std::int64_t bytes;
};

struct TaskLine {
  std::uint64_t finished;
  std::uint64_t all;
  int type;
  double seconds;
};

// "FCT from to bytes fct_ms start_ms"
std::optional<FlowLine> flow_of(std::string_view line) {
  const auto words = words_in(line);
  if (words.size() < 6 || words[0] != "FCT") return std::nullopt;
  const auto from = parse_number<int>(words[1]);
  const auto to = parse_number<int>(words[2]);
  const auto bytes = parse_number<std::int64_t>(words[3]);
  if (!from || !to || !bytes || *bytes < 0 || !parse_number<double>(words[4]) ||
      !parse_number<double>(words[5]))
    return std::nullopt;
  return FlowLine{*from, *to, *bytes};
}

// "<pointer> finished one task, nfin 1 ntot 34358 type 0 now 33972400128": picoseconds
std::optional<TaskLine> task_of(std::string_view line) {
  const auto words = words_in(line.substr(line.find(kTaskWords) + kTaskWords.size()));
  if (words.size() < 8 || words[0] != "nfin" || words[2] != "ntot" || words[4] != "type" || words[6] != "now")
    return std::nullopt;
  const auto finished = parse_number<std::uint64_t>(words[1]);
  const auto all = parse_number<std::uint64_t>(words[3]);
  const auto type = parse_number<int>(words[5]);
  const auto now = parse_number<double>(words[7]);
  if (!finished || !all || !type || !now || *type < 0 || *type >= kHtsimTasks) return std::nullopt;
  return TaskLine{*finished, *all, *type, *now / 1e12};
}

class HtsimReader {
 public:
  HtsimReader(const std::filesystem::path& file, const HtsimReading& reading) : reading_(reading) {
    log_.file = file.string();
    log_.nodes = reading.nodes.value_or(0);
  }

  // `whole`: it ended with a newline.
  void line(std::string_view text, bool whole) {
    ++number_;
    const bool is_flow = text.starts_with("FCT ") || text == "FCT";
    const bool is_task = text.find(kTaskWords) != std::string_view::npos;
    if (!whole) return cut(text);
    if (is_flow) {
      add_flow(text);
    } else if (is_task) {
      add_task(text);
    } else {
      other(text);
    }
  }

  HtsimLog finish() {
    if (log_.flow_lines == 0 && log_.task_lines == 0 && !cut_)
      fail("has neither flows nor tasks",
           "a log of the study's htsim has lines \"FCT ...\" or \"... finished one task, ...\"", 0);
    if (last_task_ && last_task_->finished < last_task_->all && !reading_.partial)
      fail(fmt::format("ends after task {} of {}: the log is cut", last_task_->finished, last_task_->all),
           "give the whole log, or take it as far as it goes with --partial", last_task_line_);
    if (!reading_.nodes) log_.nodes = largest_ + 1;
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint, std::uint64_t line) const {
    throw UserError({.file = log_.file, .line = static_cast<int>(std::min<std::uint64_t>(line, 1U << 30U))},
                    what, hint);
  }

  void cut(std::string_view text) {
    cut_ = true;
    if (reading_.partial) return;
    fail(fmt::format("the last line is cut: \"{}\"", text.substr(0, 60)),
         "give the whole log, or take it as far as it goes with --partial", number_);
  }

  void add_flow(std::string_view text) {
    const auto flow = flow_of(text);
    if (!flow)
      fail(fmt::format("is not a whole line of a flow: \"{}\"", text.substr(0, 60)),
           "it reads FCT <from> <to> <bytes> <ms> <start ms>", number_);
    const int most = reading_.nodes.value_or(kMostNodes);
    if (flow->from < 0 || flow->to < 0 || flow->from >= most || flow->to >= most)
      fail(fmt::format("names node {}, but there are {}", std::max(flow->from, flow->to), most),
           "give the number of nodes with --nodes", number_);
    HtsimFlows& same = log_.flows[flow->bytes];
    ++same.count;
    largest_ = std::max({largest_, flow->from, flow->to});
    const auto [known, added] = same.successor.try_emplace(flow->from, flow->to);
    if (!added && known->second != flow->to) same.one_successor = false;
    if (flow->to == flow->from + 1) ++same.to_next;
    if (flow->to == 0) ++same.to_first[flow->from];
    ++log_.flow_lines;
    before_ = &same;
  }

  void add_task(std::string_view text) {
    const auto task = task_of(text);
    if (!task)
      fail(fmt::format("is not a whole line of a task: \"{}\"", text.substr(0, 60)),
           "it reads ... finished one task, nfin <n> ntot <n> type <0..6> now <ps>", number_);
    log_.task_ends_s[static_cast<std::size_t>(task->type)].push_back(task->seconds);
    ++log_.task_lines;
    last_task_ = task;
    last_task_line_ = number_;
    // The simulator ends a communication task from within its flow's end, before it does anything else.
    if (before_ != nullptr && task->type == static_cast<int>(HtsimTask::communication)) ++before_->task_count;
    before_ = nullptr;
  }

  void other(std::string_view text) {
    before_ = nullptr;
    if (!text.starts_with("FinalFinish ")) return;
    const auto words = words_in(text);
    if (words.size() < 2) return;
    if (const auto ps = parse_number<double>(words[1])) log_.final_finish_s = *ps / 1e12;
  }

  HtsimReading reading_;
  HtsimLog log_;
  std::uint64_t number_ = 0;
  std::uint64_t last_task_line_ = 0;
  std::optional<TaskLine> last_task_;
  HtsimFlows* before_ = nullptr;  // of the line before, if it was a flow
  int largest_ = -1;
  bool cut_ = false;
};

// Line by line, whatever their length.
void read_lines(const std::filesystem::path& file, HtsimReader& reader) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw UserError({.file = file.string()}, "is a folder", "give a log file");
  std::ifstream stream(file);
  if (!stream) throw UserError({.file = file.string()}, "cannot be opened", "does it exist?");
  for (std::string line; std::getline(stream, line);) reader.line(line, !stream.eof());
  if (stream.bad()) throw UserError({.file = file.string()}, "cannot be read to its end");
}

}  // namespace

std::string_view name(HtsimTask task) {
  constexpr std::array<std::string_view, kHtsimTasks> kNames{"forward", "backward", "communication", "update",
                                                             "barrier", "latency",  "all-reduce"};
  return kNames[static_cast<std::size_t>(task)];
}

std::uint64_t HtsimFlows::to_next_of(int nodes) const {
  const auto last = to_first.find(nodes - 1);
  return to_next + (last == to_first.end() ? 0 : last->second);
}

bool HtsimFlows::is_ring() const {
  if (!one_successor || successor.size() < 2) return false;
  int node = successor.begin()->first;
  for (std::size_t step = 1; step < successor.size(); ++step) {
    const auto next = successor.find(node);
    if (next == successor.end() || next->second == successor.begin()->first) return false;
    node = next->second;
  }
  const auto last = successor.find(node);
  return last != successor.end() && last->second == successor.begin()->first;
}

HtsimTraffic traffic_of(const HtsimLog& log) {
  HtsimTraffic traffic;
  double own = 0;
  for (const auto& [size, flows] : log.flows) {
    const auto bytes = [&, size = size](std::uint64_t count) {
      return static_cast<double>(size) * static_cast<double>(count);
    };
    traffic.bytes += bytes(flows.count);
    traffic.next_node_share += bytes(flows.to_next_of(log.nodes));
    if (flows.to_next_of(log.nodes) == flows.count) traffic.script_share += bytes(flows.count);
    if (flows.is_ring()) traffic.ring_share += bytes(flows.count);
    own += bytes(flows.count - flows.task_count);
  }
  if (traffic.bytes == 0) return traffic;
  traffic.next_node_share /= traffic.bytes;
  traffic.script_share /= traffic.bytes;
  traffic.ring_share /= traffic.bytes;
  if (log.has_both()) traffic.exact_share = own / traffic.bytes;
  return traffic;
}

HtsimLog read_htsim_log(const std::filesystem::path& file, const HtsimReading& reading) {
  HtsimReader reader(file, reading);
  read_lines(file, reader);
  return reader.finish();
}

}  // namespace overture::formats
