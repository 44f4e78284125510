#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/arguments.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/formats/astra/workload_text.h"
#include "overture/setup/setup.h"
#include "overture/workload/dlrm_training.h"
#include "overture/workload/generator.h"

namespace overture::cli {
namespace {

struct GenerateWorkloadOptions {
  std::string mnk;
  std::string setup;
  std::string strategy = "DATA";
  int npus = 1;
  int packages = 1;
  int datatype_size = 2;
  std::string compute;
  std::string scalesim_config;
  std::string scalesim_path;
  std::string run_name;
  std::string update_delay = "100 ns";
  std::string out;
};

// ASTRA-sim's generator has its own flag for SCALE-Sim, its only compute model.
compute::ComputeModel compute_model(const GenerateWorkloadOptions& options) {
  if (options.compute.empty() == options.scalesim_config.empty()) {
    throw UserError({.key = "--compute"},
                    options.compute.empty() ? "is missing" : "and --scalesim_config exclude each other",
                    "use --compute scale-sim:FILE.cfg or --scalesim_config FILE.cfg");
  }
  if (options.compute.empty()) return compute::parse_compute_model("scale-sim:" + options.scalesim_config);
  return compute::parse_compute_model(options.compute);
}

// ASTRA-sim's file of the DLRM that a setup describes.
workload::Workload of_setup(const std::string& file) {
  const setup::Setup setup = setup::load_setup(file);
  if (!setup.dlrm)
    throw UserError({.file = file, .key = "workload.dlrm"}, "is missing", "examples/rm1.yaml has one");
  return workload::astra_form(setup.simulation.workload);
}

workload::Workload of_products(const GenerateWorkloadOptions& options) {
  return workload::generate(workload::read_mnk(options.mnk),
                            {.strategy = workload::parse_strategy(options.strategy),
                             .npus = options.npus,
                             .packages = options.packages,
                             .element = Bytes{options.datatype_size},
                             .compute = compute_model(options),
                             .update = parsed(parse_duration(options.update_delay), "--update-delay")});
}

int run(const GenerateWorkloadOptions& options) {
  if (options.mnk.empty() == options.setup.empty())
    throw UserError({.key = "--mnk"}, options.mnk.empty() ? "is missing" : "and --dlrm exclude each other",
                    "use --mnk TABLE.csv, or --dlrm SETUP.yaml with workload.dlrm");
  const workload::Workload workload = options.setup.empty() ? of_products(options) : of_setup(options.setup);
  const std::string text = formats::write_astra_workload(workload);
  write_or_print(options.out, text);
  if (!options.out.empty())
    fmt::print(stderr, "{} layers written to {}\n", workload.layers.size(), options.out);
  return 0;
}

}  // namespace

void add_generate(Command& root) {
  auto options = std::make_shared<GenerateWorkloadOptions>();
  Command generate =
      root.add("generate", "Generate inputs: workloads, task graphs, Chakra traces, datasets, topologies");
  Command command = generate.add("workload", "A workload file from a table of matrix multiplications");
  command.option("--mnk FILE", options->mnk, "CSV: Layer,m,n,k (batch, outputs, inputs)")
      .option("--dlrm FILE", options->setup,
              "In place of --mnk: a setup with workload.dlrm; becomes HYBRID_DLRM for its network")
      .option("--strategy,--parallel NAME", options->strategy,
              "DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_CUSTOMIZED")
      .option("--npus,--num_npus", options->npus, "NPUs in all")
      .option("--packages,--num_packages", options->packages, "Packages; NPUs are divided evenly over them")
      .option("--datatype-size,--datatype_size", options->datatype_size, "Bytes per number")
      .option("--compute MODEL", options->compute,
              "scale-sim:FILE.cfg, roofline:312 TFLOPS,1.5 TB/s or table:FILE.csv")
      .option("--scalesim_config FILE", options->scalesim_config,
              "SCALE-Sim's configuration, as scale-sim:FILE.cfg")
      .option("--scalesim_path FOLDER", options->scalesim_path,
              "Accepted, but not needed: we compute SCALE-Sim's cycles")
      .option("--run_name NAME", options->run_name, "Accepted, but not needed")
      .option("--update-delay TIME", options->update_delay, "Delay after every collective of a layer")
      .option("-o,--out,--output_file FILE", options->out, "File to write (default: standard output)")
      .examples(
          "  overture generate workload --mnk mnk.csv --strategy DATA --npus 16 \\\n"
          "    --compute scale-sim:tpu.cfg -o workload.txt\n"
          "  overture generate workload --mnk mnk.csv --npus 64 \\\n"
          "    --compute 'roofline:312 TFLOPS,1.5 TB/s'\n"
          "  overture generate workload --dlrm rm1.yaml -o rm1.txt")
      .runs([options] { return run(*options); });
  add_generate_dataset(generate);
  add_generate_tasks(generate);
  add_generate_chakra(generate);
  add_generate_infragraph(generate);
  add_generate_topology(generate);
}

}  // namespace overture::cli
