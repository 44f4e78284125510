#include "overture/simulation/hosted_network.h"

#include <cmath>
#include <utility>

namespace overture::simulation {
namespace {

Duration of_bytes(Duration per_million, Bytes size) {
  return Duration{
      std::llround(static_cast<double>(per_million.count()) * static_cast<double>(size.count()) / 1e6)};
}

}  // namespace

void HostedNetwork::carry(const network::Message& message, Action delivered) {
  const std::uint32_t number =
      under_way_.keep({.message = message, .delivered = std::move(delivered), .stage = 0, .missing = 1});
  compute(sender(message.from), host_.message, number);
}

void HostedNetwork::compute(std::size_t thread, Duration length, std::uint32_t number) {
  cores_.add(
      thread, length, [] {}, [this, number] { go_on(number); });
}

// What a message costs whatever its size comes before and after its bytes. These are sent, carried and
// received piece by piece, so all three at a time.
void HostedNetwork::go_on(std::uint32_t number) {
  UnderWay& one = under_way_[number];
  if (--one.missing > 0) return;
  ++one.stage;
  const network::Message message = one.message;
  if (one.stage == 1) {
    const Duration bytes = of_bytes(host_.per_million, message.size);
    one.missing = 3;
    cores_.interrupt(of_bytes(host_.interrupts_per_million, message.size));
    compute(sender(message.from), bytes, number);
    compute(receiver(message.to), bytes, number);
    wires_.send(message, [this, number, size = message.size] {
      cores_.interrupt(of_bytes(host_.interrupts_per_million, size));
      go_on(number);
    });
  } else if (one.stage == 2) {
    one.missing = 1;
    compute(receiver(message.to), host_.message, number);
  } else {
    Action delivered = under_way_.release(number).delivered;
    delivered();
  }
}

}  // namespace overture::simulation
