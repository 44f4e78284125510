#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"
#include "overture/study/opera_dlrm/run.h"

namespace overture::study::opera_dlrm {

std::string to_json(const Cell& cell, const CellResult& result, const std::string& version) {
  Json json{{"cell", name(cell)},
            {"overture", version},
            {"kind", "opera-dlrm cell"},
            {"iteration_ps", result.iteration.count()},
            {"exposed_ps", result.exposed.count()},
            {"traffic_fraction", result.traffic_fraction},
            {"timeouts", result.timeouts},
            {"cpu_s", result.cpu_seconds},
            {"memory_mb", result.memory_mb},
            {"task_ends_s", Json::object()}};
  for (const TaskEnds& ends : result.ends) json["task_ends_s"][ends.kind] = ends.seconds;
  return write_json(json, 1) + "\n";
}

CellResult parse_result(std::string_view text, const std::string& file) try {
  const auto json = parse_json_or_throw(text);
  CellResult result{.iteration = Duration{json.at("iteration_ps").get<std::int64_t>()},
                    .exposed = Duration{json.at("exposed_ps").get<std::int64_t>()},
                    .traffic_fraction = json.at("traffic_fraction").get<double>(),
                    .timeouts = json.at("timeouts").get<std::uint64_t>(),
                    .cpu_seconds = json.at("cpu_s").get<double>(),
                    .memory_mb = json.at("memory_mb").get<double>()};
  for (const auto& [kind, seconds] : json.at("task_ends_s").items())
    result.ends.push_back({kind, seconds.get<std::vector<double>>()});
  return result;
} catch (const Json::exception&) {
  throw UserError({.file = file}, "is not a result of a cell", "delete it and run again");
}

}  // namespace overture::study::opera_dlrm
