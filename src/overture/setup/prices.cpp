#include "overture/setup/prices.h"

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::setup {
namespace {

template <class V>
void describe(V& v, network::Prices& p) {
  v.from("ours");
  v.field("source", p.source, "Where the prices come from; shown with every cost");
  v.field("date", p.date, "When they held");
  v.from("ASTRA-sim 1.0, CostModel: per link of 50 GB/s (GB = 2^30 B), per switch of 40 ports");
  v.field("rate", p.rate, "Rate of the parts below; faster ones cost in proportion");
  v.field("link", p.link, "One cable, both directions, with what it plugs into");
  v.field("tile_link", p.tile_link, "The same between chips of one package (packaging: tile)");
  v.field("nic", p.nic, "One port of a NIC; machines that are on a switch have one there");
  v.field("switch", p.switch_box, "One packet switch; a topology pays for the ports that it uses");
  v.field("switch_ports", p.switch_ports, "Ports of that switch");
  v.from("Opera (NSDI 2020), table 2: fibre array, lenses, beam steering and mapping");
  v.field("rotor_port", p.rotor_port, "One port of a rotor switch, at any rate: light passes through");
  v.from("ours: only the network is counted");
  v.field("npu", p.npu, "One NPU or host with all that is inside");
  v.from("ours: round numbers for parts of that class");
  v.field("link_watts", p.link_watts, "What a link draws at that rate: the optics of both ends");
  v.field("nic_watts", p.nic_watts, "What a NIC draws at that rate");
  v.field("switch_watts", p.switch_watts, "What a switch with all its ports draws at that rate");
  v.field("rotor_port_watts", p.rotor_port_watts, "What a port of a rotor switch draws");
  v.field("npu_watts", p.npu_watts, "What an NPU draws");
}

}  // namespace

network::Prices parse_prices(std::string_view text, const std::string& file) {
  const Value root = parse_yaml(text, file);
  network::Prices prices;
  Reader reader(&root, file, "");
  describe(reader, prices);
  reader.finish();
  try {
    require_sound(prices);
  } catch (const UserError& error) {
    throw at({.file = file}, error);
  }
  return prices;
}

network::Prices load_prices(const std::filesystem::path& file) {
  return parse_prices(read_file(file), file.string());
}

std::vector<Explanation> explain_prices() {
  std::vector<Explanation> explanations;
  network::Prices initial;
  Explainer explainer(explanations, "");
  describe(explainer, initial);
  return explanations;
}

}  // namespace overture::setup
