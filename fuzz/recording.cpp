// The reader of recordings: what it refuses it refuses with a UserError, and what it accepts becomes a run or
// is refused as one. Bytes go through a file in memory, since the reader reads files.
#include "overture/recording/recording.h"

#include <string>

#include "targets.h"
#include <sys/mman.h>
#include <unistd.h>

#include "overture/formats/recording/recorded_run.h"

using namespace overture;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("recording", 0);
  fuzz::require(file >= 0, "a file in memory can be made");
  fuzz::require(write(file, data, size) == static_cast<ssize_t>(size), "bytes can be written");
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  fuzz::accepts([&] {
    recording::Recording recording;
    recording.parties.push_back(recording::read_party(path));
    const recording::Head head = recording.head();
    if (head.parties() > 16) return;
    // The same events for everybody: all roles are read.
    for (int party = 1; party < head.parties(); ++party) {
      recording.parties.push_back(recording.parties.front());
      recording.parties.back().head.party = party;
    }
    recording.parties.front().head.party = 0;
    formats::recorded_run(recording, "fuzz");
  });
  close(file);
  return 0;
}
