#include "overture/study/validate/validate.h"

#include <cmath>

namespace overture::study {

double Check::error() const {
  if (reference == 0) return ours == 0 ? 0 : std::abs(ours);
  return std::abs(ours / reference - 1);
}

bool Check::passes() const { return allowed == 0 ? ours == reference : error() <= allowed; }

}  // namespace overture::study
