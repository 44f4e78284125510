// ASTRA-sim's workload reader: what it accepts it can write, and reads back the same.
#include "targets.h"

#include "overture/formats/astra/workload_text.h"

using namespace overture;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    const std::string written = formats::write_astra_workload(
        formats::parse_astra_workload(fuzz::as_text(data, size), "workload.txt"));
    std::string again;
    fuzz::require(fuzz::accepts([&] {
                    again =
                        formats::write_astra_workload(formats::parse_astra_workload(written, "written.txt"));
                  }),
                  "what was written can be read");
    fuzz::require(written == again, "reading and writing changes nothing");
  });
  return 0;
}
