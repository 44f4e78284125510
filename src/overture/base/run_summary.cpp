#include "overture/base/run_summary.h"

#include <nlohmann/json.hpp>

namespace overture {

bool is_complete(const Json& summary) {
  if (!summary.is_object()) return false;
  const auto flag = [&](const char* key, bool usual) {
    return summary.contains(key) && summary[key].is_boolean() ? summary[key].get<bool>() : usual;
  };
  // Training that ended because it no longer got better is what was asked for.
  const bool stopped = flag("stopped_early", false) && !flag("out_of_patience", false);
  return flag("complete", true) && !stopped;
}

}  // namespace overture
