// Files that a setup names, or `import` and `compare` read, and that have no target of their own. A first
// byte chooses the format, the rest is the file.
#include "overture/astra2/files.h"

#include "memory_file.h"
#include "targets.h"

#include "overture/compute/measured.h"
#include "overture/compute/scale_sim_config.h"
#include "overture/compute/scale_sim_layers.h"
#include "overture/data/checksum.h"
#include "overture/data/id_dictionary.h"
#include "overture/formats/astra/garnet_text.h"
#include "overture/formats/htsim_log.h"
#include "overture/formats/infragraph.h"
#include "overture/formats/msccl.h"
#include "overture/formats/nccl_tests.h"
#include "overture/model/dlrm_compute.h"
#include "overture/setup/hosts_file.h"
#include "overture/setup/machine_file.h"
#include "overture/setup/prices.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/steps_file.h"
#include "overture/workload/generator.h"

using namespace overture;

namespace {

constexpr int kFormats = 20;

// Collectives are checked on all ranks that they name; some thousands of them take long.
bool has_long_numbers(std::string_view text) {
  constexpr std::size_t kMostDigits = 2;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kMostDigits) return true;
  }
  return false;
}

void check_machine(std::string_view text) {
  const std::string written = setup::write_machine(setup::parse_machine(text, "machine.yaml"));
  fuzz::require(written == setup::write_machine(setup::parse_machine(written, "written.yaml")),
                "reading and writing changes nothing");
}

void check_search(std::string_view text) {
  const setup::SearchSetup search = setup::parse_search_setup(text, "codesign.yaml");
  if (setup::count_points(search) > 0) setup::search_point(search, setup::count_points(search) - 1);
}

void check_collective(std::string_view text, bool xml) {
  if (has_long_numbers(text)) return;
  for (int kind = 0; kind <= static_cast<int>(system::CollectiveKind::barrier); ++kind) {
    const auto collective = static_cast<system::CollectiveKind>(kind);
    fuzz::accepts([&] {
      const system::Steps steps = xml ? formats::parse_msccl(collective, text, "steps.xml")
                                      : setup::parse_steps(collective, text, "steps.csv");
      fuzz::require(verify(collective, steps).ok(), "what is accepted does the collective");
    });
  }
}

void check_ids(std::string_view text) {
  std::string bytes(text);
  const std::uint64_t sum = data::checksum(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  const fuzz::MemoryFile file(bytes);
  const data::IdDictionary ids = data::IdDictionary::load(file.path());
  for (std::size_t table = 0; table < ids.tables(); ++table)
    fuzz::require(ids.row(table, 7) < ids.rows(table), "rows are inside their tables");
}

void check(std::uint8_t format, std::string_view text) {
  switch (format % kFormats) {
    case 0: return check_machine(text);
    case 1: return check_search(text);
    case 2: return void(setup::parse_prices(text, "prices.yaml"));
    case 3: return check_collective(text, false);
    case 4: return check_collective(text, true);
    case 5: return void(formats::infragraph_to_graph(text, "infra.yaml"));
    case 6: return void(formats::parse_nccl_tests(text, "log"));
    case 7: return void(compute::parse_measured_table(text, "mnk.csv"));
    case 8: return void(compute::parse_scale_sim_config(text, "scale.cfg"));
    case 9: return void(compute::parse_scale_sim_topology(text, "layers.csv"));
    case 10: return void(formats::parse_astra_garnet(text, "network.txt"));
    case 11: return check_ids(text);
    case 12: return void(formats::read_htsim_log(fuzz::MemoryFile(text).path()));
    case 13: return void(astra2::read_network(fuzz::MemoryFile(text).path(), true));
    case 14: return void(astra2::read_system(fuzz::MemoryFile(text).path(), 1));
    case 15: return void(astra2::read_groups(fuzz::MemoryFile(text).path(), 8));
    case 16: return void(setup::parse_hosts(text, "hosts"));
    case 17: return void(model::parse_calibration(text, "fits.csv", {}));
    case 18: return void(workload::parse_mnk(text, "mnk.csv"));
    default: return void(astra2::read_memory(fuzz::MemoryFile(text).path()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  fuzz::accepts([&] { check(data[0], fuzz::as_text(data + 1, size - 1)); });
  return 0;
}
