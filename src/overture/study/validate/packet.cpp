// References of packet simulators: ns-3's TCP, htsim's NDP and the DLRM study's DCTCP.
#include <cmath>
#include <map>
#include <optional>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/run_flows.h"
#include "overture/study/validate/validate.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;
using namespace literals;
using namespace network::packet;
using network::FlowSpec;
using Shape = topology::GraphConfig::Shape;

std::vector<std::vector<double>> read_numbers(const fs::path& file) {
  std::vector<std::vector<double>> rows;
  for (const CsvRow& row : parse_csv(read_file(file), file.string(), "a header").rows) {
    rows.emplace_back();
    for (const std::string& cell : row.cells) rows.back().push_back(std::stod(cell));
  }
  if (rows.empty()) throw UserError({.file = file.string()}, "has no rows");
  return rows;
}

Rank rank(double number) { return Rank{static_cast<std::int32_t>(number)}; }

struct Measured {
  network::FlowsResult result;
  double seconds = 0;

  double mean_us() const {
    double sum = 0;
    for (const auto& completion : result.completion) sum += to_us(completion.value());
    return sum / static_cast<double>(result.completion.size());
  }
};

Measured measure(const Shape& shape, const PacketConfig& config, const std::vector<FlowSpec>& flows) {
  const std::clock_t start = std::clock();
  Measured measured{
      .result = network::run_flows(
          network::PacketNetworkConfig{.topology = {.shape = shape}, .packets = config}, flows)};
  measured.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return measured;
}

// ---- ns-3

struct Ns3Scenario {
  std::vector<FlowSpec> flows;
  std::vector<double> reference_us;
};

Ns3Scenario read_ns3(const fs::path& folder) {
  Ns3Scenario scenario;
  std::map<std::pair<double, double>, double> by_pair;
  for (const auto& row : read_numbers(folder / "fct.csv")) by_pair[{row[0], row[1]}] = row[4] / 1000;
  for (const auto& row : read_numbers(folder / "flows.csv")) {
    scenario.flows.push_back({.from = rank(row[0]),
                              .to = rank(row[1]),
                              .size = Bytes{static_cast<std::int64_t>(row[2])},
                              .start = Time{Duration{std::llround(row[3] * 1000)}}});
    scenario.reference_us.push_back(by_pair.at({row[0], row[1]}));
  }
  return scenario;
}

// The flow that is furthest off.
std::pair<double, double> worst_flow(const Ns3Scenario& scenario, const network::FlowTimes& result) {
  std::pair<double, double> worst{1, 1};
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const double ours = to_us(result.completion[i].value());
    const double reference = scenario.reference_us[i];
    if (std::abs(ours / reference - 1) >= std::abs(worst.second / worst.first - 1)) worst = {reference, ours};
  }
  return worst;
}

// How many of the flows are off by no more than `error`.
double share_within(const Ns3Scenario& scenario, const network::FlowTimes& result, double error) {
  double within = 0;
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const double off = std::abs(to_us(result.completion[i].value()) / scenario.reference_us[i] - 1);
    within += off < error ? 1 : 0;
  }
  return within / static_cast<double>(scenario.flows.size());
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void single_flows(const fs::path& golden, const Report& report) {
  Check worst{.source = "ns-3", .scenario = "112 single flows", .what = "worst FCT, ns", .allowed = 0.001};
  worst.reference = worst.ours = 1;
  for (const auto& row : read_numbers(golden / "ns3/single_flow.csv")) {
    const auto whole = [&](std::size_t column) { return static_cast<std::int64_t>(row[column]); };
    const topology::Wire wire{.rate = 1_Gbps * whole(0), .delay = Nanoseconds{whole(1)}};
    PacketConfig config;
    config.of<network::packet::TcpConfig>().receive_window = Bytes{whole(2)};
    config.of<network::packet::TcpConfig>().segment = Bytes{whole(3)};
    const Measured run = measure(topology::StarConfig{.hosts = 2, .wire = wire}, config,
                                 {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{whole(4)}}});
    Check check = worst;
    check.reference = row[5];
    check.ours = to_ns(run.result.completion[0].value());
    worst.seconds += run.seconds;
    if (check.error() < worst.error()) continue;
    worst.reference = check.reference;
    worst.ours = check.ours;
  }
  report(worst);
}

// What is compared beside the flows' times.
struct Ns3Also {
  std::optional<double> drops{};  // with how far off they may be; 0: exactly
  double drops_allowed = 0;
  std::optional<double> makespan_us{};
  std::optional<double> p95_error{};  // of a flow's time, at most
};

void ns3_scenario(const fs::path& golden, const Report& report, const std::string& name, const Shape& shape,
                  const PacketConfig& config, bool every_flow, double allowed, const Ns3Also& also) {
  const Ns3Scenario scenario = read_ns3(golden / "ns3" / name);
  const Measured run = measure(shape, config, scenario.flows);
  Check check{.source = "ns-3", .scenario = name, .allowed = allowed, .seconds = run.seconds};
  const auto tell = [&](const std::string& what, double reference, double ours, double within) {
    check.what = what;
    check.reference = reference;
    check.ours = ours;
    check.allowed = within;
    report(check);
    check.seconds = 0;  // counted once
  };
  if (every_flow) {
    const auto [reference, ours] = worst_flow(scenario, run.result);
    tell("worst FCT, us", reference, ours, allowed);
  } else {
    tell("mean FCT, us", mean(scenario.reference_us), run.mean_us(), allowed);
  }
  if (also.drops)
    tell("drops", *also.drops, static_cast<double>(run.result.record.count("drops")), also.drops_allowed);
  if (also.makespan_us) tell("last FCT, us", *also.makespan_us, to_us(run.result.makespan), allowed);
  if (also.p95_error)
    tell("flows within 5 %, share", 1, share_within(scenario, run.result, *also.p95_error), 0.05);
}

// ---- htsim

Shape htsim_tree() {
  topology::FatTreeConfig config{.k = 4};
  config.host.delay = config.aggregation.delay = config.core.delay = std::chrono::microseconds(1);
  return config;
}

std::vector<FlowSpec> flows_of(const fs::path& file) {
  std::vector<FlowSpec> flows;
  for (const auto& row : read_numbers(file))
    flows.push_back(
        {.from = rank(row[0]), .to = rank(row[1]), .size = Bytes{static_cast<std::int64_t>(row[2])}});
  return flows;
}

void one_flow(const Report& report, const std::string& name, const PacketConfig& config, int to,
              double reference) {
  const Measured run =
      measure(htsim_tree(), config, {{.from = Rank{0}, .to = Rank{to}, .size = Bytes{1'000'000}}});
  const double ours = std::round(to_us(run.result.makespan) * 1000) / 1000;  // it was printed so
  report({.source = "htsim",
          .scenario = name,
          .what = "FCT, us",
          .reference = reference,
          .ours = ours,
          .seconds = run.seconds});
}

void many_flows(const Report& report, const std::string& name, const PacketConfig& config,
                const std::vector<FlowSpec>& flows, double mean_us, double max_us, double allowed) {
  const Measured run = measure(htsim_tree(), config, flows);
  report({.source = "htsim",
          .scenario = name,
          .what = "mean FCT, us",
          .reference = mean_us,
          .ours = run.mean_us(),
          .allowed = allowed,
          .seconds = run.seconds});
  report({.source = "htsim",
          .scenario = name,
          .what = "last FCT, us",
          .reference = max_us,
          .ours = to_us(run.result.makespan),
          .allowed = 1.5 * allowed,
          .seconds = run.seconds});
}

}  // namespace

void validate_ns3(const fs::path& golden, const Report& report) {
  single_flows(golden, report);
  PacketConfig blast;
  blast.of<network::packet::TcpConfig>().initial_window = 363;
  PacketConfig small_buffers;
  small_buffers.queue.port_limit = 1_MiB;
  ns3_scenario(golden, report, "S1-star16-a2a-256k-blast", topology::StarConfig{.hosts = 16}, blast, true,
               0.005, {.drops = 0});
  ns3_scenario(golden, report, "S2-star64-a2a-32k-iw10", topology::StarConfig{.hosts = 64}, {}, true, 0.005,
               {.drops = 0});
  ns3_scenario(golden, report, "S3-star33-incast-256k-1MBport", topology::StarConfig{.hosts = 33},
               small_buffers, false, 0.1, {.drops = 742, .drops_allowed = 0.2});
  ns3_scenario(golden, report, "S4-fattree4-a2a-256k-dmodk", topology::FatTreeConfig{.k = 4}, {}, false, 0.02,
               {.makespan_us = 422.207, .p95_error = 0.05});
}

void validate_htsim(const fs::path& golden, const Report& report) {
  one_flow(report, "G01 NDP between pods", htsim_ndp(), 15, 96.870);
  one_flow(report, "G02 NDP inside a rack", htsim_ndp(), 1, 85.949);
  many_flows(report, "G03 NDP permutation", htsim_ndp(), flows_of(golden / "htsim/flows_G03.csv"), 184.344,
             185.033, 0.02);
  many_flows(report, "G04 NDP all-to-all", htsim_ndp(),
             all_to_all(16, Bytes{1'000'000}, AllToAllOrder::naive), 1249.162, 1257.260, 0.02);
  one_flow(report, "G06 DCTCP between pods", dlrm_study_dctcp(), 15, 95.641);
  one_flow(report, "G07 DCTCP inside a rack", dlrm_study_dctcp(), 1, 84.782);
  many_flows(report, "G08 DCTCP to the next host", dlrm_study_dctcp(),
             flows_of(golden / "htsim/flows_G08.csv"), 168.921, 175.708, 0.00001);
}

}  // namespace overture::study
