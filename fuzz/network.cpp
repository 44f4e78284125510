// ASTRA-sim's network reader; what it accepts can be built and can carry a message.
#include "targets.h"

#include "overture/formats/astra/network_json.h"
#include "overture/network/cost.h"

using namespace overture;

namespace {

void carry_a_message(network::AnalyticalConfig config, network::Contention contention) {
  config.contention = contention;
  const topology::Hierarchy machine = network::hierarchy(config);
  if (machine.ranks() < 2) return;
  sim::EventQueue events;
  const auto network = network::make_network(config, machine, events);
  int delivered = 0;
  network->send({Rank{0}, Rank{machine.ranks() - 1}, Bytes{4096}}, [&delivered] { ++delivered; });
  events.run();
  fuzz::require(delivered == 1, "a message is delivered once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  network::AnalyticalConfig config;
  if (!fuzz::accepts(
          [&] { config = formats::parse_astra_network(fuzz::as_text(data, size), "network.json"); })) {
    return 0;
  }
  network::cost_in_dollars(config);
  for (const auto contention : {network::Contention::none, network::Contention::links}) {
    fuzz::accepts([&] { carry_a_message(config, contention); });
  }
  return 0;
}
