// Every target on its corpus, and on mutations of it that follow from a seed: what runs with any compiler,
// without a fuzzer. replay TARGET FOLDER [MUTATIONS]; a finding ends the program, and its input is left in
// ./finding-TARGET.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "targets.h"

#include "overture/base/random.h"

#define OVERTURE_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "target_list.h"
#undef OVERTURE_TARGET

namespace {

namespace fs = std::filesystem;
using Target = int (*)(const std::uint8_t*, std::size_t);

const std::map<std::string, Target>& all_targets() {
  static const std::map<std::string, Target> targets{
#define OVERTURE_TARGET(name) {#name, fuzz_##name},
#include "target_list.h"
#undef OVERTURE_TARGET
  };
  return targets;
}

std::vector<std::string> inputs_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// One byte is another, some go, some come twice, or the rest is another input's.
std::string mutated(std::string bytes, const std::string& other, overture::RandomStream& random) {
  if (bytes.empty()) return other;
  const auto place = [&](const std::string& in) {
    return static_cast<std::size_t>(random.below(in.size() + 1));
  };
  const std::size_t at = static_cast<std::size_t>(random.below(bytes.size()));
  const std::size_t length = 1 + static_cast<std::size_t>(random.below(16));
  switch (random.below(6)) {
    case 0: bytes[at] = static_cast<char>(random.below(256)); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
    case 2: bytes.erase(at, length); break;
    case 3: bytes.insert(at, bytes.substr(at, length)); break;
    case 4: bytes.resize(at); break;
    default: bytes = bytes.substr(0, at) + other.substr(std::min(place(other), other.size())); break;
  }
  return bytes;
}

void run(Target target, const std::string& input, const std::string& finding) {
  std::ofstream(finding, std::ios::binary | std::ios::trunc) << input;
  target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = all_targets().find(argc > 1 ? argv[1] : "");
  if (argc < 3 || found == all_targets().end()) {
    std::fprintf(stderr, "usage: replay TARGET FOLDER [MUTATIONS]\n");
    return 2;
  }
  const std::vector<std::string> inputs = inputs_in(argv[2]);
  const long mutations = argc > 3 ? std::atol(argv[3]) : 0;
  const std::string finding = std::string("finding-") + argv[1];
  overture::RandomStream random(1, 1);
  for (const std::string& input : inputs) run(found->second, input, finding);
  for (long i = 0; i < mutations && !inputs.empty(); ++i) {
    std::string input = inputs[static_cast<std::size_t>(random.below(inputs.size()))];
    for (auto times = 1 + random.below(4); times > 0; --times)
      input = mutated(input, inputs[static_cast<std::size_t>(random.below(inputs.size()))], random);
    run(found->second, input, finding);
  }
  fs::remove(finding);
  std::printf("%s: %zu inputs, %ld mutations\n", argv[1], inputs.size(), mutations);
  return 0;
}
