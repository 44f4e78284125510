// The published table of parameters, read back from the setups that are run: a default is what all four
// systems have, a range is what the axis runs through.
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/study/hoti_dlrm/scoreboard.h"

namespace overture::study::hoti {
namespace {

using setup::Setup;
using Texts = std::set<std::string>;
using Read = std::function<std::string(const Setup&)>;

std::string number(double value) { return fmt::format("{:g}", value); }

double gbps(Bandwidth rate) { return static_cast<double>(rate.bits_per_second()) / 1e9; }

// Of the whole switch, in MB of the table: 1024 MB are 8 MiB at each of 128 ports.
std::string switch_buffer(const Setup& setup) {
  const auto& queue = setup.network.of<network::packet::PacketConfig>().queue;
  const double mib = 1 << 20;
  if (queue.shared_limit) return number(static_cast<double>(queue.shared_limit->count()) / mib);
  if (!queue.port_limit) return "unlimited";
  const int ports = star_of(setup).hosts;
  return number(static_cast<double>(queue.port_limit->count()) * ports / mib);
}

std::string all_reduce(const Setup& setup) {
  const auto& algorithms = setup.simulation.system.implementation(system::CollectiveKind::all_reduce);
  const auto between = algorithms.per_dimension.back().kind;
  if (between == system::kDoubleBinaryTree) return "DBT";
  return between == system::kDirect ? "A2A" : std::string(system::name(between));
}

Texts of_defaults(const Read& read, bool hierarchical_only = false, bool flat_only = false) {
  Texts values;
  for (const SystemSetup& system : systems()) {
    if ((hierarchical_only && !system.hierarchical) || (flat_only && system.hierarchical)) continue;
    values.insert(read(parsed(system)));
  }
  return values;
}

// Over the defaults and all values of an axis.
Texts of_axis(const std::string& axis, const Read& read) {
  Texts values = of_defaults(read);
  for (const SystemSetup& system : systems()) {
    if (!concerns(axis_named(axis), system)) continue;
    for (const AxisValue& value : axis_named(axis).values)
      values.insert(read(parsed(system, keys_of(value, system))));
  }
  return values;
}

Claim claim(const char* id, const std::string& text, const std::string& unit, const Texts& published,
            const Texts& ours) {
  const auto told = [&](const Texts& values) {
    return fmt::format("{}{}{}", fmt::join(values, ", "), unit.empty() ? "" : " ", unit);
  };
  const bool met = published == ours;
  return {.id = id,
          .text = text,
          .published = told(published),
          .ours = told(ours),
          .verdict = met ? Verdict::met : Verdict::not_met,
          .why = met ? "" : "the setups in examples/hoti say otherwise"};
}

// The range holds what was published, and perhaps more.
Claim range(const char* id, const std::string& text, const std::string& unit, const Texts& published,
            const std::string& axis, const Read& read, const Texts& extra = {}) {
  Texts ours = of_axis(axis, read);
  for (const std::string& more : extra) ours.erase(more);
  return claim(id, text, unit, published, ours);
}

}  // namespace

std::vector<Claim> parameter_claims() {
  const auto gpus = [](const Setup& s) { return number(network::count_hosts(s.simulation.network)); };
  const auto batch = [](const Setup& s) { return number(static_cast<double>(s.dlrm->batch)); };
  const auto per_gpu = [](const Setup& s) {
    return number(static_cast<double>(s.dlrm->batch) / network::count_hosts(s.simulation.network));
  };
  const auto rate = [](const Setup& s) { return number(gbps(star_of(s).wire.rate)); };
  const auto latency = [](const Setup& s) {
    return number(
        to_us(star_of(s).wire.delay +
              s.network.of<network::packet::PacketConfig>().of<network::packet::TcpConfig>().ack_delay));
  };
  const auto injection = [](const Setup& s) { return number(to_us(s.simulation.system.endpoint_delay)); };
  const auto window = [](const Setup& s) {
    const double mib = static_cast<double>(s.network.of<network::packet::PacketConfig>()
                                               .of<network::packet::TcpConfig>()
                                               .receive_window.count()) /
                       (1 << 20);
    return fmt::format("{:.1f}", mib);
  };
  const auto chunks = [](const Setup& s) { return number(s.simulation.system.splits); };
  const auto parallel = [](const Setup& s) { return number(s.simulation.system.active_chunks); };
  const auto policy = [](const Setup& s) {
    return std::string(s.simulation.system.scheduling == system::SchedulingPolicy::lifo ? "LIFO" : "FIFO");
  };
  const auto compute = [](const Setup& s) { return s.dlrm->compute; };
  const auto passes = [](const Setup& s) { return number(s.simulation.passes); };
  std::vector<Claim> claims{
      claim("P01", "The number of GPUs", "", {"128"}, of_defaults(gpus)),
      claim("P02", "The global batch, in samples", "", {"65536"}, of_defaults(batch)),
      claim("P03", "The batch of a GPU, in samples", "", {"512"}, of_defaults(per_gpu)),
      claim("P04", "The compute power of a GPU", "", {"roofline:60 TFLOPS"}, of_defaults(compute)),
      range("P05", "The scale-out link bandwidth", "Gb/s", {"100", "800"}, "bandwidth", rate),
      range("P06", "The scale-out switch buffer", "MB", {"1024", "64"}, "buffer", switch_buffer),
      range("P07", "Link latency and ACK delay together", "us", {"0.5"}, "latency", latency),
      range("P08", "The injection latency", "us", {"0.01", "1", "10", "100"}, "injection", injection),
      range("P09", "The TCP window", "MB", {"0.5", "0.1"}, "window", window),
      range("P10", "The all-reduce algorithm", "", {"DBT", "A2A"}, "algorithm", all_reduce),
      range("P11", "Chunks of a collective", "", {"1024", "128", "32"}, "concurrency", chunks),
      range("P12", "Chunks that run at a time", "", {"64", "128"}, "concurrency", parallel, {"4"}),
      claim("P13", "The order of collectives", "", {"LIFO"}, of_defaults(policy)),
      claim("P14", "Iterations of the end-to-end figure", "", {"2"}, of_defaults(passes))};
  const bool defaults =
      of_defaults(chunks, false, true) == Texts{"1024"} && of_defaults(chunks, true, false) == Texts{"128"};
  if (!defaults) claims[10].verdict = Verdict::not_met;
  return claims;
}

}  // namespace overture::study::hoti
