#include "overture/system/config.h"

namespace overture::system {

std::array<Implementation, kCollectiveKinds> default_implementations() {
  std::array<Implementation, kCollectiveKinds> implementations;
  implementations[static_cast<std::size_t>(CollectiveKind::broadcast)] = {
      .per_dimension = {{.kind = kBinomialTree}}, .flat = true};
  implementations[static_cast<std::size_t>(CollectiveKind::barrier)] = {
      .per_dimension = {{.kind = kDissemination}}, .flat = true};
  return implementations;
}

}  // namespace overture::system
