#include "overture/network/rotor/run_flows.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "overture/network/rotor/bulk_engine.h"
#include "overture/network/rotor/packet_engine.h"
#include "overture/network/rotor/rotor_faults.h"

namespace overture::network::rotor {
namespace {

constexpr std::uint64_t kPiece = 1024;  // steps between two questions whether to go on

Time until(const RotorRunOptions& options) {
  return options.limits.until.value_or(Time{std::chrono::seconds(1000)});
}

std::vector<std::size_t> by_start(const std::vector<FlowSpec>& flows) {
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return flows[i].start; });
  return order;
}

void finish(RotorRun& result, const std::vector<FlowSpec>& flows, std::size_t flow, Time when) {
  result.completion[flow] = when - flows[flow].start;
  ++result.finished;
}

// Which flow a message of the engine belongs to.
class Owners {
 public:
  void set(std::uint32_t message, std::size_t flow) {
    if (message >= flows_.size()) flows_.resize(message + 1);
    flows_[message] = flow;
  }
  std::size_t operator[](std::uint32_t message) const { return flows_[message]; }

 private:
  std::vector<std::size_t> flows_;
};

// What fails in a run, and what is never delivered because of it.
struct Failing {
  Failing(const Faults& faults, const topology::Opera& opera)
      : parts(faults.touch_network() ? std::make_unique<RotorFaults>(faults, opera) : nullptr),
        lost(parts.get()) {}

  void tell(const RotorRun& result, NetworkRecord& record) {
    if (!parts) return;
    add_counters(*parts, record);
    record.undelivered = lost.tell(result.simulated.count());
  }

  std::unique_ptr<RotorFaults> parts;
  Undeliverable lost;
};

void run_bulk(const topology::Opera& opera, const RotorConfig& config, const std::vector<FlowSpec>& flows,
              const RotorRunOptions& options, RotorRun& result) {
  BulkEngine engine(opera, config);
  Failing failing(options.faults, opera);
  if (failing.parts) engine.set_faults(*failing.parts);
  if (options.watched_bins > 0) engine.watch(result.load);
  Owners owners;
  const std::vector<std::size_t> order = by_start(flows);
  const Duration slice_time = opera.timing().slice();
  const Patience patience(options.limits);
  std::size_t next = 0;
  const auto waits = [&] { return engine.outstanding() > failing.lost.count(result.simulated.count()); };
  for (std::int64_t slice = 0; next < order.size() || waits(); ++slice) {
    if (engine.outstanding() == 0) {
      const Duration start = flows[order[next]].start.time_since_epoch();
      slice = std::max<std::int64_t>(slice, (start + slice_time - Duration{1}) / slice_time);
    }
    const Time begin{slice_time * slice};
    result.simulated = begin.time_since_epoch();
    if (begin > until(options) || !patience.lasts(result.finished)) break;
    for (; next < order.size() && flows[order[next]].start <= begin; ++next) {
      const FlowSpec& flow = flows[order[next]];
      if (flow.from == flow.to) {
        finish(result, flows, order[next], flow.start);
        continue;
      }
      const std::int64_t bytes = std::max<std::int64_t>(flow.size.count(), 1);
      const std::uint32_t message = engine.post(index(flow.from), index(flow.to), bytes);
      owners.set(message, order[next]);
      failing.lost.posted(message, index(flow.from), index(flow.to));
    }
    engine.play(slice);
    for (const Finished& done : engine.finished()) {
      failing.lost.delivered(done.message);
      finish(result, flows, owners[done.message], Time{Duration{done.when}});
    }
    engine.finished().clear();
  }
  failing.tell(result, result.faults);
  result.statistics = engine.statistics();
  result.digest = engine.digest();
}

void run_packets(const topology::Opera& opera, const topology::OperaPaths& paths, const RotorConfig& config,
                 const std::vector<FlowSpec>& flows, const RotorRunOptions& options, RotorRun& result) {
  PacketEngine engine(opera, paths, config);
  Failing failing(options.faults, opera);
  if (failing.parts) engine.set_faults(*failing.parts);
  if (options.watched_bins > 0) engine.watch(result.load);
  Owners owners;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowSpec& flow = flows[i];
    if (flow.from == flow.to) {
      finish(result, flows, i, flow.start);
      continue;
    }
    const std::int64_t bytes = std::max<std::int64_t>(flow.size.count(), 1);
    const std::int64_t start = flow.start.time_since_epoch().count();
    const std::uint32_t message = engine.post(index(flow.from), index(flow.to), bytes, start);
    owners.set(message, i);
    failing.lost.posted(message, index(flow.from), index(flow.to));
  }
  // Slices go on as long as bulk is under way, so the end of the messages is the end of the run.
  const Patience patience(options.limits);
  const auto waits = [&] { return engine.outstanding() > failing.lost.count(result.simulated.count()); };
  for (std::uint64_t step = 0; waits(); ++step) {
    const std::int64_t next = engine.next_time();
    if (next > until(options).time_since_epoch().count()) break;
    if (step % kPiece == 0 && !patience.lasts(result.finished)) break;
    result.simulated = Duration{next};
    engine.run(next);
    for (const Finished& done : engine.finished()) {
      failing.lost.delivered(done.message);
      finish(result, flows, owners[done.message], Time{Duration{done.when}});
    }
    engine.finished().clear();
  }
  failing.tell(result, result.faults);
  result.statistics = engine.statistics();
  result.digest = engine.digest();
}

bool any_low_latency(const RotorConfig& config, const std::vector<FlowSpec>& flows) {
  return std::ranges::any_of(flows, [&](const FlowSpec& flow) {
    return flow.from != flow.to && std::max(flow.size, Bytes{1}) < config.bulk_from;
  });
}

}  // namespace

RotorRun run_flows(const topology::Opera& opera, const RotorConfig& config,
                   const std::vector<FlowSpec>& flows, const RotorRunOptions& options) {
  require_sound(config, opera);
  network::require_sound(flows, opera.hosts());
  RotorRun result;
  result.completion.resize(flows.size());
  if (options.watched_bins > 0)
    result.load = LinkLoad(LinkNumbers(opera).count(), opera.timing().slice(), options.watched_bins);
  const bool shared = any_low_latency(config, flows);
  if (!shared && !options.packet_by_packet) {
    run_bulk(opera, config, flows, options, result);
  } else if (options.paths != nullptr) {
    run_packets(opera, *options.paths, config, flows, options, result);
  } else {
    run_packets(opera, topology::OperaPaths(opera, 1), config, flows, options, result);
  }
  const Duration simulated = std::min(result.simulated, until(options).time_since_epoch());
  summarise(flows, result);
  if (result.finished < flows.size()) result.simulated = simulated;
  return result;
}

}  // namespace overture::network::rotor
