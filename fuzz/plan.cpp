// The reader of plans: what it accepts it can write, and reads back the same.

#include "block_sums.h"
#include "memory_file.h"
#include "targets.h"

#include "overture/lookahead/plan_code.h"
#include "overture/lookahead/plan_file.h"

using namespace overture;

namespace {

constexpr int kMostSteps = 1000;

// All that the file says, in the bytes that would say it again.
std::string meaning(const std::string& path) {
  lookahead::PlanReader reader(path);
  std::string bytes;
  lookahead::encode(reader.config(), bytes);
  lookahead::StepPlan plan;
  for (int step = 0; step < kMostSteps && reader.next(plan); ++step) lookahead::encode(plan, bytes);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(fuzz::as_text(data, size));
  fuzz::set_block_sums(bytes);
  const fuzz::MemoryFile file(bytes);
  fuzz::accepts([&] {
    const std::string first = meaning(file.path());
    fuzz::require(first == meaning(file.path()), "a plan means the same when it is read again");
  });
  return 0;
}
