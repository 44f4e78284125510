#include "overture/lookahead/plan.h"

namespace overture::lookahead {

std::string_view name(Sync sync) {
  switch (sync) {
    case Sync::now: return "now";
    case Sync::later: return "later";
    case Sync::none: return "none";
  }
  return "?";
}

std::string_view name(Event event) { return event == Event::hit ? "hit" : "prefetch"; }

}  // namespace overture::lookahead
