#include "overture/base/random.h"

namespace overture {

RandomStream RandomStreams::make(std::string_view name) const {
  // FNV-1a: the name picks one of PCG's independent sequences.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return {seed_, hash};
}

}  // namespace overture
