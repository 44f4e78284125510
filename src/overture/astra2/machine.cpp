#include "overture/astra2/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/astra2/check.h"
#include "overture/astra2/wires.h"
#include "overture/base/error.h"
#include "overture/base/interrupt.h"

namespace overture::astra2 {
namespace {

using system::AlgorithmKind;
using topology::DimensionKind;

// Above so many messages one NPU stands for all, if it can. Below, all are played: that is as fast.
constexpr double kManyMessages = 1'000'000;

using Programs = std::vector<std::shared_ptr<const Program>>;

// Do all members of a dimension do the same at the same time, and see the same links?
bool looks_alike(const Config& config, const Implementation& implementation) {
  const AlgorithmKind kind = implementation.algorithm.kind;
  const bool known = kind == system::kRing || kind == system::kDirect || kind == system::kHalvingDoubling;
  if (!known) return false;
  // Over several dimensions at once not everybody has a neighbour in the same one.
  if (implementation.everybody && config.network.dimensions.size() > 1) return false;
  if (!config.network.congestion_aware) return true;
  return config.network.dimensions.front().kind != DimensionKind::ring || kind == system::kRing;
}

bool node_alike(const Config& config, const Program& program, const chakra::Node& node) {
  using chakra::NodeKind;
  if (node.kind == NodeKind::send || node.kind == NodeKind::receive) return false;
  if (node.kind == NodeKind::memory_load || node.kind == NodeKind::memory_store)
    return config.memory.kind == MemoryFile::Kind::per_npu;
  if (node.kind != NodeKind::collective) return true;
  return program.trace.group(node).empty() && !config.system.custom_nodes.contains(node.id);
}

// How many messages all NPUs would send.
double expected_messages(const Config& config, const Program& program) {
  const double npus = config.network.npus();
  double per_npu = 0;
  for (const chakra::Node& node : program.trace.nodes) {
    if (node.kind != chakra::NodeKind::collective) continue;
    double steps = 0;
    for (const Dimension& dimension : config.network.dimensions) steps += dimension.npus;
    per_npu += steps * static_cast<double>(std::max<std::int64_t>(1, config.system.splits));
  }
  return per_npu * npus;
}

struct World {
  World(const Config& of, const Programs& with, const NodeObserver& observer, bool mirror)
      : config(of),
        wires(make_wires(of.network, events)),
        transport(*wires, events, of.rendezvous),
        shared{config, logical, transport, custom, mirror},
        memory(
            of.memory, of.network.npus(),
            [this](int npu) -> system::CycleClock& { return npus[static_cast<std::size_t>(npu)]->clock(); },
            [this](int npu, std::uint32_t node) { npus[static_cast<std::size_t>(npu)]->memory_done(node); }) {
    for (std::size_t k = 0; k < kPlayed; ++k) logical[k] = logical_dimensions(config, static_cast<Played>(k));
    const int count = mirror ? 1 : config.network.npus();
    for (int npu = 0; npu < count; ++npu)
      npus.push_back(
          std::make_unique<Npu>(shared, with[static_cast<std::size_t>(npu)], npu, events, memory, observer));
  }

  const Config& config;
  sim::EventQueue events;
  std::array<std::vector<LogicalDimension>, kPlayed> logical;
  std::unique_ptr<network::Network> wires;
  Transport transport;
  CustomPrograms custom;
  Shared shared;
  RemoteMemory memory;
  std::vector<std::unique_ptr<Npu>> npus;
};

std::string describe(const Program& program, std::uint32_t n) {
  const chakra::Node& node = program.node(n);
  const std::string_view title = program.trace.name(node);
  return fmt::format("node {}{} ({})", node.id, title.empty() ? "" : fmt::format(" \"{}\"", title),
                     name(node.kind));
}

// What an NPU waits for that nobody sends: the first such message, by rank.
std::string missing_message(const World& world, int npu) {
  std::vector<Letter> letters = world.transport.postbox().expected();
  std::erase_if(letters, [npu](const Letter& letter) { return letter.to != npu; });
  if (letters.empty()) return "";
  const auto order = [](const Letter& a, const Letter& b) {
    return std::pair(a.from, a.tag) < std::pair(b.from, b.tag);
  };
  const Letter letter = *std::min_element(letters.begin(), letters.end(), order);
  return fmt::format(", and waits for {} bytes from rank {} (tag {}), which rank {} does not send",
                     letter.size, letter.from, letter.tag, letter.from);
}

[[noreturn]] void report_deadlock(const World& world) {
  std::string text;
  int stuck = 0;
  constexpr int kShown = 4;
  for (std::size_t npu = 0; npu < world.npus.size(); ++npu) {
    const Npu& one = *world.npus[npu];
    if (one.result().finished) continue;
    if (++stuck > kShown) continue;
    text += fmt::format("; rank {}: ", npu);
    const std::vector<std::uint32_t> nodes = one.under_way();
    text += nodes.empty() ? "nothing is under way" : describe(one.program(), nodes.front());
    if (!one.stuck().empty()) text += ": " + one.stuck();
    text += missing_message(world, static_cast<int>(npu));
  }
  if (stuck > kShown) text += fmt::format("; and {} more", stuck - kShown);
  throw UserError(
      fmt::format("the run is stuck at {} ns: {} of {} ranks do not finish{}",
                  world.events.now().time_since_epoch().count() / 1000, stuck, world.npus.size(), text),
      "every send needs a receive with the same tag and size, and all ranks of a group start its "
      "collectives in the same order");
}

}  // namespace

std::int64_t MachineResult::cycles() const {
  std::int64_t latest = 0;
  for (const NpuResult& npu : npus) latest = std::max(latest, npu.cycles);
  return latest;
}

bool all_alike(const Config& config, const Programs& programs) {
  for (const auto& program : programs) {
    if (program != programs.front()) return false;
  }
  if (config.rendezvous) return false;
  // Chunks that go both ways round meet at links in an order that differs from NPU to NPU.
  if (config.network.congestion_aware && config.queues > 1) return false;
  for (const chakra::Node& node : programs.front()->trace.nodes) {
    if (!node_alike(config, *programs.front(), node)) return false;
  }
  for (std::size_t k = 0; k < kPlayed; ++k) {
    if (!config.system.custom[k].empty()) return false;
    for (const Implementation& implementation : config.system.implementations[k]) {
      if (!looks_alike(config, implementation)) return false;
    }
  }
  return true;
}

MachineResult run(const Config& config, const Programs& programs, const RunOptions& options) {
  for (std::size_t npu = 0; npu < programs.size(); ++npu) {
    const bool seen = npu > 0 && programs[npu] == programs[npu - 1];
    // Programs that name no ranks are as runnable for one NPU as for the next.
    if (!seen || !config.groups.empty()) require_runnable(config, *programs[npu], static_cast<int>(npu));
  }
  const bool mirrored = !options.simulate_all && all_alike(config, programs) &&
                        (options.mirror || expected_messages(config, *programs.front()) > kManyMessages);
  World world(config, programs, options.observer, mirrored);
  world.shared.ring_made = options.ring_made;
  std::vector<int> order;
  for (const auto& npu : world.npus) npu->on_finished([&order](int number) { order.push_back(number); });
  for (const auto& npu : world.npus) npu->start();
  while (world.events.step()) {
    if ((world.events.executed() & 0xffff) == 0 && Interrupt::requested()) break;
  }
  const bool complete = world.events.pending() == 0;
  for (const auto& npu : world.npus) {
    if (complete && !npu->result().finished) report_deadlock(world);
  }
  MachineResult result{.complete = complete,
                       .mirrored = mirrored,
                       .finish_order = std::move(order),
                       .messages = world.transport.messages(),
                       .events = world.events.executed(),
                       .network = world.wires->record()};
  for (std::size_t npu = 0; npu < programs.size(); ++npu)
    result.npus.push_back(world.npus[mirrored ? 0 : npu]->result());
  for (std::size_t npu = 1; mirrored && npu < programs.size(); ++npu)
    result.finish_order.push_back(static_cast<int>(npu));
  return result;
}

}  // namespace overture::astra2
