#include "overture/base/random.h"

#include "overture/base/hash.h"

namespace overture {

RandomStream RandomStreams::make(std::string_view name) const {
  return {seed_, fnv1a(name)};  // the name picks one of PCG's independent sequences
}

}  // namespace overture
