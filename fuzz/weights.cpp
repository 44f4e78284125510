// Weights in files of others: npz, torch's, safetensors. A first byte chooses whether the rest is the file,
// or the pickle or the array inside a zip archive, whose checksums are then right.
#include "overture/train/weights.h"

#include <array>

#include "memory_file.h"
#include "targets.h"

#include "overture/data/zip_writer.h"

using namespace overture;

namespace {

class Model {
 public:
  std::vector<train::WeightsArray> arrays() {
    return {{.name = "tables.0.weight", .shape = {3, 2}, .visit = visit(table_)},
            {.name = "dense", .shape = {2}, .visit = visit(dense_)}};
  }

 private:
  template <std::size_t N>
  static std::function<void(const std::function<void(std::span<float>)>&)> visit(
      std::array<float, N>& numbers) {
    return [&numbers](const std::function<void(std::span<float>)>& piece) { piece(numbers); };
  }
  std::array<float, 6> table_{};
  std::array<float, 2> dense_{};
};

void write_torch(const std::filesystem::path& file, std::string_view pickle) {
  data::ZipWriter zip(file);
  zip.add("archive/data.pkl", std::string(pickle));
  for (const char* name : {"archive/data/0", "archive/data/1"}) zip.add(name, std::string(32, '\1'));
  zip.finish();
}

void write_npz(const std::filesystem::path& file, std::string_view array) {
  data::ZipWriter zip(file);
  for (const char* name : {"tables.0.weight.npy", "dense.npy"}) zip.add(name, std::string(array));
  zip.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  if (size == 0) return 0;
  const std::filesystem::path file = folder.path() / "weights";
  const std::string_view bytes = fuzz::as_text(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: folder.write("weights", bytes); break;
    case 1: write_torch(file, bytes); break;
    default: write_npz(file, bytes); break;
  }
  Model model;
  std::vector<train::WeightsArray> arrays = model.arrays();
  fuzz::accepts([&] { train::read_weights(arrays, file); });
  return 0;
}
