// The same all-to-all on Debian's ns-3 and on our packet engine, side by side: CPU time and completion times.
// Needs overture-ns3, which is built where libns3-dev is installed.
//
//   bench_ns3 [HOSTS...]      default: 16 64 128
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/table.h"
#include "overture/network/ns3/ns3_program.h"
#include "overture/network/packet/patterns.h"
#include "overture/topology/star.h"

namespace {

using namespace overture;
namespace packet = network::packet;

struct Measured {
  packet::PacketRun result;
  double seconds = 0;  // of CPU
};

// Short runs are repeated, and the fastest counts.
Measured measure(const topology::Topology& topology, const std::vector<network::FlowSpec>& flows) {
  Measured best;
  double spent = 0;
  for (int run = 0; run < 3 || spent < 0.5; ++run) {
    const std::clock_t start = std::clock();
    packet::PacketRun result = packet::run_flows(topology, {}, flows);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (run == 0 || seconds < best.seconds) best.seconds = seconds;
    best.result = std::move(result);
    spent += seconds;
  }
  return best;
}

double worst_difference(const std::vector<std::optional<Duration>>& ours,
                        const std::vector<std::optional<Duration>>& theirs) {
  double worst = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!ours[i] || !theirs[i]) return std::nan("");
    const auto reference = static_cast<double>(theirs[i]->count());
    worst = std::max(worst, std::abs(static_cast<double>(ours[i]->count()) - reference) / reference);
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<int> sizes{16, 64, 128};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  const auto program = network::ns3::find_ns3_program();
  if (!program) throw UserError("overture-ns3 is not there", "install libns3-dev, configure and build again");
  fmt::print("all-to-all of 32 KiB per pair, star of 100 Gbps and 500 ns, TCP; CPU seconds\n\n");
  Table table(
      {"hosts", "packet hops", "ns-3 open", "ns-3 run", "ours", "ratio of run", "worst FCT difference"});
  for (const int hosts : sizes) {
    const topology::Topology star = topology::star({.hosts = hosts});
    const auto flows = packet::all_to_all(hosts, Bytes{32'768});
    const Measured ours = measure(star, flows);
    const network::ns3::Ns3Result theirs = network::ns3::run_flows(*program, star, {}, flows);
    table.add({fmt::format("{}", hosts), fmt::format("{}", ours.result.statistics.packet_hops),
               fmt::format("{:.2f}", theirs.open_seconds), fmt::format("{:.3f}", theirs.run_seconds),
               fmt::format("{:.4f}", ours.seconds), fmt::format("{:.0f}", theirs.run_seconds / ours.seconds),
               fmt::format("{:.6f} %", 100 * worst_difference(ours.result.completion, theirs.completion))});
  }
  fmt::print("{}", table.text());
  return 0;
} catch (const overture::UserError& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return 2;
}
