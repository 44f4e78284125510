#include "overture/network/ns3/ns3_program.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/interrupt.h"

namespace overture::network::ns3 {
namespace {

namespace fs = std::filesystem;
using topology::Graph;
using topology::Link;

void require(bool holds, std::string_view what) {
  if (!holds) throw UserError(fmt::format("the ns3 backend {}", what), "use the packet backend");
}

void require_possible(const packet::PacketConfig& config) {
  require(config.transport == packet::kTransport<packet::TcpConfig> &&
              config.of<packet::TcpConfig>().control == packet::kControl<packet::NewReno>,
          "has TCP with NewReno only");
  require(config.paths == topology::PathRule::by_destination, "has paths by destination only");
  require(!config.queue.shared_limit && !config.queue.mark_above,
          "has drop-tail ports only, and marks nothing");
  require(config.of<packet::TcpConfig>().connections == ConnectionUse::per_pair &&
              !config.of<packet::TcpConfig>().slow_start_threshold,
          "has one connection per pair, without a slow start threshold");
  require(config.of<packet::TcpConfig>().header == Bytes{42}, "has headers of 42 B");
  require(config.of<packet::TcpConfig>().ack_delay == Duration{}, "has ACKs without delay only");
}

// The links of a graph as cables of two; ns-3 has no other.
class Cables {
 public:
  explicit Cables(const Graph& graph) : of_link_(graph.links().size()) {
    std::map<std::pair<int, int>, std::vector<std::size_t>> waiting;  // links whose way back was not seen yet
    for (std::size_t i = 0; i < graph.links().size(); ++i) {
      const Link& link = graph.links()[i];
      auto& back = waiting[{link.to, link.from}];
      if (link.from < link.to || back.empty()) {
        waiting[{link.from, link.to}].push_back(i);
        continue;
      }
      add(graph, back.front(), i);
      back.erase(back.begin());
    }
    require(2 * count_ == graph.links().size(), "needs cables that are the same in both directions");
  }

  std::size_t of(std::size_t link) const { return of_link_[link]; }
  const std::string& text() const { return text_; }

 private:
  void add(const Graph& graph, std::size_t there, std::size_t back) {
    const Link& a = graph.links()[there];
    const Link& b = graph.links()[back];
    require(a.wire.rate == b.wire.rate && a.wire.delay == b.wire.delay,
            "needs cables that are the same in both directions");
    text_ +=
        fmt::format("cable {} {} {} {}\n", a.from, a.to, a.wire.rate.bits_per_second(), a.wire.delay.count());
    of_link_[there] = of_link_[back] = count_++;
  }

  std::vector<std::size_t> of_link_;
  std::size_t count_ = 0;
  std::string text_;
};

// A folder of our own that goes when we do.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "overture-ns3-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw UserError({.file = pattern}, "cannot be created");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

void run_program(const fs::path& program, const fs::path& input, const fs::path& output,
                 const fs::path& times) {
  std::fflush(stdout);  // else the child would print it again
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    end_with(self);
    if (std::freopen(times.c_str(), "w", stdout) != nullptr)
      execl(program.c_str(), program.c_str(), input.c_str(), output.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  const bool ended = child >= 0 && waitpid(child, &status, 0) >= 0;
  if (ended && WIFSIGNALED(status)) {
    // ns-3.37 does when a sender that repairs losses has filled the receiver's window to the last byte.
    throw UserError({.file = program.string()}, fmt::format("ns-3 crashed, by signal {}", WTERMSIG(status)),
                    "another network.tcp.receive_window may do");
  }
  if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw UserError({.file = program.string()}, "failed; see its message above");
}

}  // namespace

std::optional<fs::path> find_ns3_program() {
  constexpr const char* kName = "overture-ns3";
  std::error_code ignored;
  std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", ignored).parent_path()};
  std::stringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    if (access((folder / kName).c_str(), X_OK) == 0) return folder / kName;
  }
  return std::nullopt;
}

std::string network_text(const topology::Topology& topology, const packet::PacketConfig& config,
                         const std::vector<FlowSpec>& flows, const RunLimits& limits) {
  require_possible(config);
  const Graph& graph = topology.graph;
  const Cables cables(graph);
  std::string text = fmt::format(
      "segment {}\ninitial_window {}\nreceive_window {}\nmin_rto_ps {}\n",
      config.of<packet::TcpConfig>().segment.count(), config.of<packet::TcpConfig>().initial_window,
      config.of<packet::TcpConfig>().receive_window.count(), config.of<packet::TcpConfig>().min_rto.count());
  if (config.queue.port_limit) text += fmt::format("port_limit {}\n", config.queue.port_limit->count());
  if (limits.until) text += fmt::format("until_ps {}\n", limits.until->time_since_epoch().count());
  text += fmt::format("nodes {} {}\n", graph.hosts(), graph.nodes()) + cables.text();
  for (int node = 0; node < graph.nodes(); ++node) {
    text += fmt::format("route {}", node);
    for (int host = 0; host < graph.hosts(); ++host) {
      const int port =
          host == node ? 0 : topology.routing->port(node, host, topology::Pick::by_destination());
      text += fmt::format(" {}", cables.of(static_cast<std::size_t>(graph.first_link(node) + port)));
    }
    text += '\n';
  }
  for (const FlowSpec& flow : flows) {
    text += fmt::format("flow {} {} {} {}\n", index(flow.from), index(flow.to),
                        std::max<std::int64_t>(flow.size.count(), 1), flow.start.time_since_epoch().count());
  }
  return text;
}

Ns3Result run_flows(const fs::path& program, const topology::Topology& topology,
                    const packet::PacketConfig& config, const std::vector<FlowSpec>& flows,
                    const RunLimits& limits) {
  std::vector<FlowSpec> crossing;  // a flow to its own host takes no time
  for (const FlowSpec& flow : flows) {
    if (flow.from != flow.to) crossing.push_back(flow);
  }
  const TemporaryFolder folder;
  write_file(folder / "network.txt", network_text(topology, config, crossing, limits));
  run_program(program, folder / "network.txt", folder / "fct.txt", folder / "times.txt");
  Ns3Result result;
  std::istringstream times(read_file(folder / "times.txt"));
  std::istringstream completions(read_file(folder / "fct.txt"));
  std::string label;
  times >> label >> result.open_seconds >> label >> result.run_seconds >> label >> result.drops;
  for (const FlowSpec& flow : flows) {
    std::int64_t ps = 0;
    if (flow.from != flow.to && !(completions >> ps))
      throw UserError({.file = program.string()}, "gave fewer completion times than there are flows");
    result.completion.push_back(ps < 0 ? std::nullopt : std::optional(Duration{ps}));
  }
  return result;
}

}  // namespace overture::network::ns3
