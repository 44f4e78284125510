#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/setup/trained_model.h"
#include "overture/train/weights.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string folder;
  std::string checkpoint;
  std::string to = "npz";
  std::string out;
};

int run(const ExportOptions& options) {
  const train::WeightsFormat format = train::weights_format(options.to);
  const setup::TrainedModel model = setup::open_trained(options.folder, options.checkpoint);
  for (const std::string& damage : model.damaged) fmt::print(stderr, "warning: {}\n", damage);
  const std::string ending = options.to == "torch" ? "pt" : options.to;
  const fs::path out =
      options.out.empty() ? fs::path(options.folder) / ("weights." + ending) : fs::path(options.out);
  auto arrays = train::weights_of(*model.training);
  train::write_weights(arrays, format, out);
  Table table({"array", "shape", "numbers"});
  for (const train::WeightsArray& array : arrays) {
    std::string shape;
    for (const std::int64_t size : array.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(size);
    table.add({array.name, shape, with_commas(array.size())});
  }
  fmt::print("{}\nweights: {}\n", table.text(), out.string());
  return 0;
}

}  // namespace

void add_export(Command& root) {
  auto options = std::make_shared<ExportOptions>();
  Command command = root.add("export", "Export the weights of a trained model: npz, torch or safetensors");
  command.positional("results", options->folder, "Folder that `overture train` wrote")
      .option("--to FORMAT", options->to, "npz, torch or safetensors")
      .option("--checkpoint NAME", options->checkpoint, "Checkpoint to use (default: the newest)")
      .option("-o,--out FILE", options->out, "File to write (default: weights.* in the folder)")
      .examples(
          "  overture export results/train --to safetensors\n"
          "  overture export results/train --to torch -o dlrm.pt\n"
          "  overture train setup.yaml --weights dlrm.pt            (start from them)")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
