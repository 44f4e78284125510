// Makes a workload from a table of matrix multiplications, a parallelisation strategy and a compute model, as
// ASTRA-sim's workload generator does with SCALE-Sim; see docs/guides/generate-workload.md. Only layers that
// are GEMMs: no embeddings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"
#include "overture/base/units.h"
#include "overture/compute/compute_model.h"
#include "overture/compute/gemm.h"
#include "overture/workload/workload.h"

namespace overture::workload {

// A fully connected layer of the whole model, before it is divided: a batch of m inputs with k features each
// becomes m outputs with n features.
struct MnkLayer {
  std::string name;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::optional<Parallelism> parallelism;  // of this layer, for hybrid_customized
  Where where;                             // the line it was read from
};

// Header `Layer,m,n,k` with or without `,CustomizedParallelization`. Throws UserError with file and line.
std::vector<MnkLayer> parse_mnk(std::string_view text, const std::string& file);
std::vector<MnkLayer> read_mnk(const std::filesystem::path& path);

// DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA or HYBRID_CUSTOMIZED, in any case. Throws UserError.
Parallelism parse_strategy(std::string_view text, const Where& where = {.key = "strategy"});

struct GeneratorOptions {
  Parallelism strategy = Parallelism::data;  // one of those that parse_strategy() knows
  int npus = 1;                              // P
  int packages = 1;                          // Q, a divisor of P; matters to the hybrid strategies
  Bytes element{2};                          // of one weight, activation or gradient
  compute::ComputeModel compute;
  Duration update = std::chrono::nanoseconds(100);  // ASTRA-sim's generator writes 100 cycles
};

// What one NPU multiplies in each pass.
struct PassGemms {
  compute::Gemm forward;
  compute::Gemm input_gradient;
  compute::Gemm weight_gradient;

  friend bool operator==(const PassGemms&, const PassGemms&) = default;
};

// The layer's share of one NPU. What does not divide evenly is rounded up: the time of a step is that of the
// NPU with the most work, and nobody's share is nothing. `strategy` is not hybrid_customized.
PassGemms pass_gemms(const MnkLayer& layer, Parallelism strategy, int npus, int packages);

// Throws UserError on options that do not fit together and on layers too large to count.
Workload generate(const std::vector<MnkLayer>& layers, const GeneratorOptions& options);

}  // namespace overture::workload
