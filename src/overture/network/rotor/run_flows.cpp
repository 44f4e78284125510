#include "overture/network/rotor/run_flows.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "overture/network/rotor/bulk_engine.h"
#include "overture/network/rotor/lost_messages.h"
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

// A run of flows on one of the engines: which message is which flow, what fails, and what comes of it.
template <class Engine>
class FlowsUnderWay {
 public:
  FlowsUnderWay(Engine& engine, const topology::Opera& opera, const RotorConfig& config,
                const std::vector<FlowSpec>& flows, const RotorRunOptions& options, RotorRun& result)
      : engine_(engine),
        payload_(config.packet - config.header),
        flows_(flows),
        result_(result),
        faults_(options.faults.touch_network() ? std::make_unique<RotorFaults>(options.faults, opera)
                                               : nullptr),
        lost_(faults_.get(), opera),
        patience_(options.limits) {
    if (faults_) engine.set_faults(*faults_);
    if (options.watched_bins > 0) engine.watch(result.load);
  }

  // Is there a message under way that can still arrive?
  bool waits() { return engine_.outstanding() > lost_.count(result_.simulated.count()); }
  bool has_patience() const {
    const auto packets = static_cast<std::int64_t>(engine_.packets_delivered());
    return patience_.lasts(
        {.finished = result_.finished, .now = Time{result_.simulated}, .delivered = payload_ * packets});
  }

  // Posts a flow with `post(from, to, bytes)`; one to its own host takes no time.
  template <class Post>
  void start(std::size_t flow, Post post) {
    const FlowSpec& spec = flows_[flow];
    if (spec.from == spec.to) return finish(flow, spec.start);
    const int from = index(spec.from);
    const int to = index(spec.to);
    const std::int64_t size = std::max<std::int64_t>(spec.size.count(), 1);
    const std::uint32_t message = post(from, to, size);
    if (message >= flow_of_.size()) flow_of_.resize(message + 1);
    flow_of_[message] = flow;
    lost_.posted(message, from, to, engine_.is_low_latency(size));
  }

  void take_finished() {
    for (const Finished& done : engine_.finished()) {
      lost_.delivered(done.message);
      finish(flow_of_[done.message], Time{Duration{done.when}});
    }
    engine_.finished().clear();
  }

  void conclude() {
    if (faults_) {
      add_counters(*faults_, result_.faults);
      result_.faults.undelivered = lost_.tell(result_.simulated.count());
    }
    result_.statistics = engine_.statistics();
    result_.digest = engine_.digest();
  }

 private:
  void finish(std::size_t flow, Time when) {
    result_.completion[flow] = when - flows_[flow].start;
    ++result_.finished;
  }

  Engine& engine_;
  Bytes payload_;  // of a packet
  const std::vector<FlowSpec>& flows_;
  RotorRun& result_;
  std::unique_ptr<RotorFaults> faults_;
  LostMessages lost_;
  Patience patience_;
  std::vector<std::size_t> flow_of_;  // by message of the engine
};

void run_bulk(const topology::Opera& opera, const RotorConfig& config, const std::vector<FlowSpec>& flows,
              const RotorRunOptions& options, RotorRun& result) {
  BulkEngine engine(opera, config);
  FlowsUnderWay under_way(engine, opera, config, flows, options, result);
  const std::vector<std::size_t> order = by_start(flows);
  const Duration slice_time = opera.timing().slice();
  std::size_t next = 0;
  for (std::int64_t slice = 0; next < order.size() || under_way.waits(); ++slice) {
    if (engine.outstanding() == 0) {
      const Duration start = flows[order[next]].start.time_since_epoch();
      slice = std::max<std::int64_t>(slice, (start + slice_time - Duration{1}) / slice_time);
    }
    const Time begin{slice_time * slice};
    result.simulated = begin.time_since_epoch();
    if (begin > until(options) || !under_way.has_patience()) break;
    for (; next < order.size() && flows[order[next]].start <= begin; ++next) {
      under_way.start(order[next],
                      [&](int from, int to, std::int64_t bytes) { return engine.post(from, to, bytes); });
    }
    engine.play(slice);
    under_way.take_finished();
  }
  under_way.conclude();
}

// Slices go on as long as bulk is under way, so the end of the messages is the end of the run.
void run_packets(const topology::Opera& opera, const topology::OperaPaths& paths, const RotorConfig& config,
                 const std::vector<FlowSpec>& flows, const RotorRunOptions& options, RotorRun& result) {
  PacketEngine engine(opera, paths, config);
  FlowsUnderWay under_way(engine, opera, config, flows, options, result);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::int64_t start = flows[i].start.time_since_epoch().count();
    under_way.start(
        i, [&](int from, int to, std::int64_t bytes) { return engine.post(from, to, bytes, start); });
  }
  for (std::uint64_t step = 0; under_way.waits(); ++step) {
    const std::int64_t next = engine.next_time();
    if (next > until(options).time_since_epoch().count()) break;
    if (step % kPiece == 0 && !under_way.has_patience()) break;
    result.simulated = Duration{next};
    engine.run(next);
    under_way.take_finished();
  }
  under_way.conclude();
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
