// The router: from each input at most one flit in a cycle, to each output at most one.
#include <bit>
#include <limits>

#include "overture/network/garnet/engine.h"

namespace overture::network::garnet {

void GarnetEngine::enter(Channel& c, const Flit& flit) {
  Buffer& buffer = c.buffers[c.at(flit.vc)];
  if (flit.head) {
    const int destination = destination_[static_cast<std::size_t>(flit.message)];
    const Hop hop = fabric_->next(c, flit.message, destination, flit.vc / vcs_);
    buffer = {.message = flit.message, .out = hop.channel, .vnet = hop.vnet};
    check(buffer.out != kNone, "a packet is on a vnet that leads to its destination");
    if (c.occupied.empty()) {
      busy_inputs_[static_cast<std::size_t>(c.to)][static_cast<std::size_t>(c.in_port) / 64] |=
          std::uint64_t{1} << (c.in_port % 64);
    }
    c.occupied.push_back(flit.vc);
  }
  ++buffer.held;
  if (flit.tail) buffer.flits = buffer.held + buffer.sent;
}

bool GarnetEngine::arbitrate(int number, Cycle now) {
  const Router& router = routers_[static_cast<std::size_t>(number)];
  const auto& busy = busy_inputs_[static_cast<std::size_t>(number)];
  requested_.clear();
  for (std::size_t word = 0; word < busy.size(); ++word) {
    for (std::uint64_t bits = busy[word]; bits != 0; bits &= bits - 1) {
      const int input = router.in[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      const int vc = choose(channel(input));
      if (vc == kNone) continue;
      const int output = channel(input).buffers[channel(input).at(vc)].out;
      auto& requests = requests_[static_cast<std::size_t>(output)];
      if (requests.empty()) requested_.push_back(output);
      requests.push_back({input, vc});
    }
  }
  for (const int output : requested_) grant(output, static_cast<int>(router.in.size()), now);
  return !requested_.empty();
}

// The virtual channel that the input lets compete: the first from its pointer whose packet can go on and has
// no older one of its vnet before it on the way to the same output. The pointer moves by one, not past the
// winner.
int GarnetEngine::choose(Channel& input) {
  ++stamp_;
  int best = kNone;
  int least = std::numeric_limits<int>::max();
  for (const std::uint16_t vc : input.occupied) {
    const Buffer& buffer = input.buffers[input.at(vc)];
    if (buffer.held == 0) continue;
    std::uint64_t& seen = seen_[static_cast<std::size_t>(buffer.out * fabric_->vnets() + buffer.vnet)];
    if (std::exchange(seen, stamp_) == stamp_) continue;
    if (!eligible(buffer)) continue;
    const int distance =
        vc >= input.scan_pointer ? vc - input.scan_pointer : vc - input.scan_pointer + all_vcs_;
    if (distance >= least) continue;
    least = distance;
    best = vc;
  }
  if (best != kNone) input.scan_pointer = (input.scan_pointer + 1) % all_vcs_;
  return best;
}

bool GarnetEngine::eligible(const Buffer& buffer) {
  const Channel& output = channel(buffer.out);
  if (buffer.out_vc == kNone) return output.lowest_idle(buffer.vnet * vcs_, vcs_) != kNone;
  return output.credits[output.at(buffer.out_vc)] > 0;
}

// The first requesting input from the output's pointer, which then moves by one.
void GarnetEngine::grant(int output, int inputs, Cycle now) {
  auto& requests = requests_[static_cast<std::size_t>(output)];
  Channel& out = channel(output);
  const auto distance = [&](const Request& request) {
    const int port = channel(request.input).in_port;
    return port >= out.grant_pointer ? port - out.grant_pointer : port - out.grant_pointer + inputs;
  };
  Request winner = requests.front();
  for (const Request& request : requests) {
    if (distance(request) < distance(winner)) winner = request;
  }
  requests.clear();
  out.grant_pointer = (out.grant_pointer + 1) % inputs;
  pass(winner, output, now);
}

void GarnetEngine::pass(const Request& winner, int output, Cycle now) {
  Channel& in = channel(winner.input);
  Channel& out = channel(output);
  Buffer& buffer = in.buffers[in.at(winner.vc)];
  if (buffer.out_vc == kNone) {
    buffer.out_vc = out.lowest_idle(buffer.vnet * vcs_, vcs_);
    out.set_busy(buffer.out_vc);
  }
  --out.credits[out.at(buffer.out_vc)];
  --buffer.held;
  const std::int32_t position = buffer.sent++;
  const bool tail = buffer.sent == buffer.flits;
  if (load_ != nullptr) note_flit(output, now);
  push_flit(output,
            {.message = buffer.message,
             .vc = static_cast<std::uint16_t>(buffer.out_vc),
             .head = position == 0,
             .tail = tail},
            position, now);
  push_credit(winner.input, {.vc = static_cast<std::uint16_t>(winner.vc), .frees = tail}, now);
  if (!tail) return;
  in.occupied.erase(std::find(in.occupied.begin(), in.occupied.end(), winner.vc));
  if (in.occupied.empty()) {
    busy_inputs_[static_cast<std::size_t>(in.to)][static_cast<std::size_t>(in.in_port) / 64] &=
        ~(std::uint64_t{1} << (in.in_port % 64));
  }
}

void GarnetEngine::take(Channel& c, const Credit& credit) {
  ++c.credits[c.at(credit.vc)];
  if (credit.frees) c.set_idle(credit.vc);
}

bool GarnetEngine::holds_flits(int router) {
  for (const int input : routers_[static_cast<std::size_t>(router)].in) {
    if (input == kNone) continue;
    const Channel& c = channel(input);
    for (const std::uint16_t vc : c.occupied)
      if (c.buffers[c.at(vc)].held > 0) return true;
  }
  return false;
}

}  // namespace overture::network::garnet
