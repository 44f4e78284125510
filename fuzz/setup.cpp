// The reader of native setups: what it accepts it can write, and reads back the same.
#include "overture/setup/setup.h"

#include "targets.h"

using namespace overture;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    const std::string written =
        setup::write_setup(setup::parse_setup(fuzz::as_text(data, size), "setup.yaml"));
    std::string again;
    const bool read =
        fuzz::accepts([&] { again = setup::write_setup(setup::parse_setup(written, "written.yaml")); });
    fuzz::require(read, "what was written can be read");
    fuzz::require(written == again, "reading and writing changes nothing");
  });
  return 0;
}
