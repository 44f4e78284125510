// FlexFlow's task graphs (.tg): any bytes are refused or give a graph that can be written and read again.
#include "targets.h"

#include "overture/formats/flexflow/flexflow_graph.h"

using namespace overture;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const formats::ReductionInNode in_node = [](Bytes) { return Duration{1000}; };
  fuzz::accepts([&] {
    const workload::TaskGraph graph =
        formats::parse_flexflow_graph(fuzz::as_text(data, size), "step.tg", in_node);
    std::string written;
    if (!fuzz::accepts([&] { written = formats::to_flexflow(graph, 1); })) return;
    fuzz::require(fuzz::accepts([&] { formats::parse_flexflow_graph(written, "written.tg", in_node); }),
                  "what was written can be read");
  });
  return 0;
}
