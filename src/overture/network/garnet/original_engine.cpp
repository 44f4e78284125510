#include "overture/network/garnet/original_engine.h"

#include <utility>

namespace overture::network::garnet {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
constexpr Cycle kBridge = 2;

int divide_up(int a, int b) { return (a + b - 1) / b; }

}  // namespace

OriginalEngine::OriginalEngine(const GarnetConfig& config, Arrived arrived)
    : OriginalEngine(config, std::make_unique<AstraFabric>(config), std::move(arrived)) {}

OriginalEngine::OriginalEngine(const GarnetConfig& config, std::unique_ptr<AstraFabric> fabric,
                               Arrived arrived)
    : GarnetEngine(std::move(fabric), settings_of(config), std::move(arrived)),
      astra_(static_cast<const AstraFabric&>(*fabric_)),
      pipeline_(config.router_latency - 1),
      delayed_(channels_.size()) {
  add_lines(config);
  pending_.resize(4 * lines_.size() + static_cast<std::size_t>(fabric_->ranks()) + routers_.size());
}

void OriginalEngine::add_lines(const GarnetConfig& config) {
  const auto packet_bits = static_cast<int>(std::min<std::int64_t>(8 * config.packet.count(), 1 << 30));
  for (const Channel& c : channels_) {
    const int width = c.wire.width;
    const bool narrow = width < config.flit_width;
    const int wider = std::max(width, config.flit_width);
    const int narrower = std::min(width, config.flit_width);
    Line line{.bridged = width != config.flit_width,
              .narrow = narrow,
              .latency = c.wire.latency,
              .split = divide_up(wider, narrower),
              .join = divide_up(std::min(packet_bits, wider), narrower)};
    if (line.bridged) line.collected.resize(c.buffers.size());
    lines_.push_back(line);
    line.credits = true;
    line.join = line.split;
    if (line.bridged) line.to_split.resize(c.buffers.size());
    lines_.push_back(line);
  }
}

// An object has at most one event in a cycle; asking again keeps its place.
void OriginalEngine::schedule(int object, Cycle when) {
  auto& pending = pending_[static_cast<std::size_t>(object)];
  if (std::find(pending.begin(), pending.end(), when) != pending.end()) return;
  pending.push_back(when);
  wheel_.add(when, static_cast<std::uint32_t>(object));
}

// Its events were asked for long before, so it comes after all that was asked for since.
void OriginalEngine::wake_interface(int rank) {
  woken_.push_back(rank);
  wheel_.add(soonest_, kNobody);
}

void OriginalEngine::run(Cycle now) {
  wheel_.take(now, due_);
  soonest_ = now + 1;
  progress_ = false;
  std::vector<int> woken;
  woken.swap(woken_);
  if (!woken.empty()) stalled_ = false;  // there is something new
  std::sort(woken.begin(), woken.end());
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  for (std::size_t i = due_.size(); i-- > 0;) {
    if (due_[i] == kNobody) continue;
    const auto object = static_cast<int>(due_[i]);
    std::erase(pending_[due_[i]], now);
    std::erase(woken, object - interface(0));
    run_object(object, now);
  }
  for (const int rank : woken) run_interface(rank, now);
  stalled_ = !progress_ && in_flight_ == 0;
}

void OriginalEngine::run_object(int object, Cycle now) {
  if (object >= router(0)) return run_router(object - router(0), now);
  if (object >= interface(0)) return run_interface(object - interface(0), now);
  const int line = object / 4;
  switch (static_cast<Part>(object % 4)) {
    case near_bridge: return bridge(line, true, now);
    case link: return move(line, now);
    case far_bridge: return bridge(line, false, now);
    case unit: return line % 2 == 0 ? read_flit(line / 2, now) : read_credit(line / 2, now);
  }
}

int OriginalEngine::receiver(int line) {
  const Channel& c = channel(line / 2);
  if (line % 2 == 0) return c.to_rank ? interface(c.to) : router(c.to);
  return c.from_rank ? interface(c.from) : router(c.from);
}

void OriginalEngine::push_flit(int number, Flit flit, std::int32_t position, Cycle now) {
  const Channel& c = channel(number);
  if (!c.from_rank && !c.to_rank) ++statistics_.hops;
  hand_over(2 * number,
            {.id = position, .message = flit.message, .vc = flit.vc, .head = flit.head, .tail = flit.tail},
            now);
}

void OriginalEngine::push_credit(int number, Credit credit, Cycle now) {
  hand_over(2 * number + 1, {.vc = credit.vc, .tail = credit.frees}, now);
}

void OriginalEngine::hand_over(int number, Item item, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  item.time = now + 1;
  progress_ = true;
  ++in_flight_;
  line.queues[line.bridged ? Line::at_near_bridge : Line::at_link].push(item);
  schedule(part(number, line.bridged ? near_bridge : link), now + 1);
}

// One item a cycle.
void OriginalEngine::move(int number, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  Heap& waiting = line.queues[Line::at_link];
  if (waiting.ready(now)) {
    Item item = waiting.pop();
    item.time = now + line.latency;
    line.queues[line.bridged ? Line::at_far_bridge : Line::at_receiver].push(item);
    schedule(line.bridged ? part(number, far_bridge) : receiver(number), item.time);
    const Channel& c = channel(number / 2);
    if (!line.credits && !c.from_rank && !c.to_rank) ++statistics_.parts;
  }
  if (!waiting.empty()) schedule(part(number, link), now + 1);
}

void OriginalEngine::bridge(int number, bool near, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  Heap& waiting = line.queues[near ? Line::at_near_bridge : Line::at_far_bridge];
  if (!waiting.ready(now)) return;
  const Item item = waiting.pop();
  if (near == line.narrow) {
    split(number, item, near, now);
  } else {
    join(number, item, near, now);
  }
}

void OriginalEngine::split(int number, Item item, bool near, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  int parts = line.split;
  if (line.credits) {
    Ring<int>& to_split = line.to_split[channel(number / 2).at(item.vc)];
    parts = to_split.front();
    to_split.pop();
  }
  in_flight_ += parts - 1;
  for (int i = 0; i < parts; ++i) {
    Item piece = item;
    piece.id = line.credits ? 0 : item.id * parts + i;
    piece.head = item.head && i == 0;
    piece.tail = item.tail && i == parts - 1;
    emit(number, piece, near, now);
  }
}

// Credits that are one behind the bridge must have been as many before it, or there would be too few.
void OriginalEngine::join(int number, Item item, bool near, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  int& collected = line.collected[channel(number / 2).at(item.vc)];
  int needed = line.join;
  --in_flight_;
  if (line.credits) {
    ++collected;
    if (!item.tail && collected % needed != 0) return;
  } else {
    if (item.tail && collected == 0) needed = 1;
    ++collected;
    if (!item.tail && (item.id + 1) % needed != 0) return;
    item.id /= needed;
    item.head = item.id == 0;
    credits(number / 2).to_split[channel(number / 2).at(item.vc)].push(needed);
  }
  collected = 0;
  ++in_flight_;
  emit(number, item, near, now);
}

void OriginalEngine::emit(int number, Item item, bool near, Cycle now) {
  Line& line = lines_[static_cast<std::size_t>(number)];
  item.time = now + kBridge;
  line.queues[near ? Line::at_link : Line::at_receiver].push(item);
  schedule(near ? part(number, link) : receiver(number), item.time);
}

// A router's input takes one flit. One that is left is taken in the next cycle, which does not wake the
// router.
void OriginalEngine::read_flit(int number, Cycle now) {
  Heap& arrived = data(number).queues[Line::at_receiver];
  if (!arrived.ready(now)) return;
  const Item item = arrived.pop();
  Channel& c = channel(number);
  const Flit flit{.message = item.message, .vc = item.vc, .head = item.head, .tail = item.tail};
  if (pipeline_ == 0) {
    --in_flight_;
    enter(c, flit);
  } else {
    delayed_[static_cast<std::size_t>(number)].push({now + pipeline_, flit});
    schedule(router(c.to), now + pipeline_);
  }
  if (arrived.ready(now)) schedule(part(2 * number, unit), now + 1);
}

void OriginalEngine::read_credit(int number, Cycle now) {
  Heap& arrived = credits(number).queues[Line::at_receiver];
  if (!arrived.ready(now)) return;
  const Item item = arrived.pop();
  --in_flight_;
  take(channel(number), {.vc = item.vc, .frees = item.tail});
  if (arrived.ready(now)) schedule(part(2 * number + 1, unit), now + 1);
}

void OriginalEngine::run_interface(int rank, Cycle now) {
  inject_and_send(rank, now);
  bool awake = false;
  for (int v = 0; v < fabric_->vnets(); ++v) {
    Heap& arrived = data(astra_.ejection(rank, v)).queues[Line::at_receiver];
    if (arrived.ready(now)) {
      const Item item = arrived.pop();
      --in_flight_;
      accept(astra_.ejection(rank, v), {.message = item.message, .vc = item.vc, .tail = item.tail}, now);
    }
    awake = awake || arrived.ready(now) || !lane(rank, v).injected.empty();
  }
  for (int v = 0; v < fabric_->vnets(); ++v) {
    Heap& returned = credits(fabric_->injection(rank, v)).queues[Line::at_receiver];
    if (returned.ready(now)) {
      const Item item = returned.pop();
      --in_flight_;
      take(channel(fabric_->injection(rank, v)), {.vc = item.vc, .frees = item.tail});
    }
    awake = awake || returned.ready(now);
  }
  if (awake && !stalled_) schedule(interface(rank), now + 1);
}

void OriginalEngine::run_router(int number, Cycle now) {
  const Router& here = routers_[static_cast<std::size_t>(number)];
  for (const int input : here.in) {
    if (input == kNone) continue;
    read_flit(input, now);
    auto& delayed = delayed_[static_cast<std::size_t>(input)];
    for (; !delayed.empty() && delayed.front().ready <= now; delayed.pop()) {
      --in_flight_;
      enter(channel(input), delayed.front().flit);
    }
  }
  for (const int output : here.out)
    if (output != kNone) read_credit(output, now);
  arbitrate(number, now);
  if (holds_flits(number) && !stalled_) schedule(router(number), now + 1);
}

}  // namespace overture::network::garnet
