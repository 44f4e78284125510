// Text files with lists: flows (CSV and htsim's .cm), networks (graph files, Opera's dynexp), traces of
// lookups. A first byte chooses the format, the rest is the file.

#include "targets.h"

#include "overture/formats/dynexp.h"
#include "overture/formats/flow_list.h"
#include "overture/lookahead/trace.h"
#include "overture/topology/graph_file.h"

using namespace overture;

namespace {

void check_flows(const std::vector<network::FlowSpec>& flows) {
  network::FlowTimes times;
  times.completion.resize(flows.size());
  for (const network::FlowSpec& flow : flows) {
    fuzz::require(index(flow.from) >= 0 && index(flow.to) >= 0, "hosts are numbered from 0");
    fuzz::require(flow.size >= Bytes{0} && flow.start >= Time{}, "nothing is negative");
  }
  fuzz::require(!formats::write_flow_csv(flows, times).empty(), "flows can be written");
}

void check_graph(std::string_view text) {
  // Large numbers of nodes take their memory before anything can be wrong with them.
  constexpr std::size_t kMostDigits = 4;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kMostDigits) return;
  }
  const topology::Topology made = topology::parse_graph(text, "graph.txt");
  for (const topology::Link& link : made.graph.links())
    fuzz::require(link.wire.rate > Bandwidth{} && link.wire.delay >= Duration{},
                  "links have a rate and a delay");
}

void check_dynexp(std::string_view text) {
  const formats::Dynexp read = formats::parse_dynexp(text, "dynexp.txt");
  const std::string written = formats::write_dynexp(read.opera, read.paths);
  fuzz::require(formats::parse_dynexp(written, "written.txt") == read, "reading and writing changes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::as_text(data + 1, size - 1);
  fuzz::accepts([&] {
    switch (data[0] % 5) {
      case 0: return check_flows(formats::parse_flow_csv(text, "flows.csv"));
      case 1: return check_flows(formats::parse_connection_matrix(text, "flows.cm"));
      case 2: return check_graph(text);
      case 3: return check_dynexp(text);
      default: return void(lookahead::parse_trace(text, "trace.txt"));
    }
  });
  return 0;
}
