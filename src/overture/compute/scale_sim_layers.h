// SCALE-Sim v2's files about layers: the topology .csv that it reads and the COMPUTE_REPORT.csv that it
// writes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/compute/gemm.h"
#include "overture/compute/systolic.h"

namespace overture::compute {

struct NamedGemm {
  std::string name;
  Gemm gemm;
};

// Layer name, ifmap height and width, filter height and width, channels, filters, stride (or two: height,
// width). A convolution becomes the GEMM of im2col: output pixels x filter volume x filters. As in SCALE-Sim,
// a layer with "DP" in its name is depthwise: one GEMM per channel.
std::vector<NamedGemm> parse_scale_sim_topology(std::string_view text, const std::string& file);
std::vector<NamedGemm> read_scale_sim_topology(const std::filesystem::path& path);

// The text of COMPUTE_REPORT.csv, digit for digit as SCALE-Sim writes it.
std::string compute_report(const std::vector<LayerReport>& layers);

}  // namespace overture::compute
