// ASTRA-sim's system reader, for a machine with as many dimensions as the lists of algorithms seem to have.
#include <algorithm>

#include "targets.h"

#include "overture/formats/astra/system_text.h"

using namespace overture;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  const int dimensions = 1 + static_cast<int>(std::count(text.begin(), text.end(), '_')) / 4;
  fuzz::accepts([&] {
    const auto read = formats::parse_astra_system(text, "system.txt", {}, dimensions);
    fuzz::require(read.config.splits >= 1 && read.config.active_chunks >= 1, "there is at least one chunk");
    fuzz::require(read.config.endpoint_delay >= Duration{}, "no delay is negative");
    for (const auto& implementation : read.config.implementations) {
      const auto algorithms = static_cast<int>(implementation.per_dimension.size());
      fuzz::require(algorithms == (implementation.flat ? 1 : dimensions),
                    "every dimension has its algorithm");
    }
  });
  return 0;
}
