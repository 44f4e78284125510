#include "overture/compute/compute_model.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/compute/scale_sim_config.h"

namespace overture::compute {
namespace {

constexpr std::string_view kRooflineExample = "write for example roofline:312 TFLOPS,1.5 TB/s,0.6";

UserError wrong(std::string_view what, std::string_view hint) { return {{.key = "compute"}, what, hint}; }

template <class T>
T value_or_throw(const Result<T>& parsed, std::string_view hint) {
  if (!parsed) throw wrong(parsed.error(), hint);
  return parsed.value();
}

SystolicArray scale_sim(std::string_view text) {
  // The clock, if any, is behind the last comma; a file name may have one too.
  const std::size_t comma = text.rfind(',');
  if (comma == std::string_view::npos || !trimmed(text.substr(comma)).ends_with("Hz")) {
    return read_scale_sim_config(text);
  }
  SystolicArray array = read_scale_sim_config(trimmed(text.substr(0, comma)));
  array.clock =
      value_or_throw(parse_frequency(trimmed(text.substr(comma + 1))), "write for example ,700 MHz");
  return array;
}

double efficiency(std::string_view text) {
  const auto value = parse_number<double>(text);
  if (!value || !(*value > 0 && *value <= 1)) {
    throw wrong(fmt::format("\"{}\" is not an efficiency, above 0 and at most 1", text), kRooflineExample);
  }
  return *value;
}

Roofline roofline(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(trimmed(text.substr(start, comma - start)));
    start = comma + 1;
  }
  if (parts.size() > 3) throw wrong("a roofline has a peak rate and a memory bandwidth", kRooflineExample);
  const FlopRate peak = value_or_throw(parse_flop_rate(parts[0]), kRooflineExample);
  if (parts.size() == 1) return {.peak = peak, .memory = {}};
  const Roofline model{.peak = peak,
                       .memory = value_or_throw(parse_bandwidth(parts[1]), kRooflineExample),
                       .efficiency = parts.size() == 3 ? efficiency(parts[2]) : 1};
  if (model.memory.bits_per_second() == 0) {
    throw wrong("the memory bandwidth is more than zero", kRooflineExample);
  }
  return model;
}

}  // namespace

ComputeModel parse_compute_model(std::string_view text, const std::filesystem::path& folder) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = trimmed(text.substr(0, colon));
  const std::string_view rest = colon == std::string_view::npos ? "" : trimmed(text.substr(colon + 1));
  if (kind != "scale-sim" && kind != "roofline" && kind != "table") {
    throw wrong(fmt::format("unknown compute model \"{}\"", kind),
                suggest(kind, {"scale-sim", "roofline", "table"}));
  }
  if (rest.empty()) {
    throw wrong(fmt::format("\"{}\" says the kind of model only", text),
                "write scale-sim:FILE.cfg, roofline:312 TFLOPS,1.5 TB/s or table:FILE.csv");
  }
  if (kind == "scale-sim") return scale_sim((folder / rest).string());
  if (kind == "roofline") return roofline(rest);
  return read_measured_table(folder / rest);
}

}  // namespace overture::compute
