// Chakra's reader: what it accepts it can write, and reads back the same; what it refuses it refuses with a
// UserError. Bytes go through a file in memory, since the reader streams files.
#include <string>

#include "memory_file.h"
#include "targets.h"

#include "overture/formats/chakra/inspect.h"
#include "overture/formats/chakra/reader.h"
#include "overture/formats/chakra/writer.h"

using namespace overture;

namespace {

chakra::RankTrace read_bytes(std::string_view bytes) {
  const fuzz::MemoryFile file(bytes);
  return chakra::read_trace(file.path(), {.keep_unknown = true});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    const chakra::RankTrace trace = read_bytes(fuzz::as_text(data, size));
    chakra::inspect(trace);
    const std::string written = chakra::encode(trace);
    std::string again;
    fuzz::require(fuzz::accepts([&] { again = chakra::encode(read_bytes(written)); }),
                  "what was written can be read");
    fuzz::require(written == again, "reading and writing changes nothing");
  });
  return 0;
}
