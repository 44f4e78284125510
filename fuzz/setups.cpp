// The setups of flows, train and sweep; setup.cpp has that of simulate. A first byte chooses, the rest is the
// file.
#include "targets.h"

#include "overture/setup/setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/train_setup.h"

using namespace overture;

namespace {

template <class Rewrite>
void same_when_written(std::string_view text, Rewrite rewrite) {
  const std::string written = rewrite(text);
  std::string again;
  fuzz::require(fuzz::accepts([&] { again = rewrite(written); }), "what was written can be read");
  fuzz::require(written == again, "reading and writing changes nothing");
}

std::string rewrite_flows(std::string_view text) {
  return setup::write_setup(setup::parse_setup(text, "setup.yaml", {}, setup::Needs::network));
}

std::string rewrite_train(std::string_view text) {
  return setup::write_train_setup(setup::parse_train_setup(text, "train.yaml"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::as_text(data + 1, size - 1);
  fuzz::accepts([&] {
    switch (data[0] % 3) {
      case 0: return same_when_written(text, rewrite_flows);
      case 1: return same_when_written(text, rewrite_train);
      default: return void(setup::sweep_points(setup::parse_sweep_setup(text, "sweep.yaml")));
    }
  });
  return 0;
}
