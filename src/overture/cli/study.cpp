#include "overture/cli/commands.h"

namespace overture::cli {

void add_study(Command& root) {
  Command study = root.add("study", "Rerun and examine published studies; study training through failures");
  add_astra_tutorial(study);
  add_failures(study);
  add_cache_networks(study);
  add_hoti_dlrm(study);
  add_opera_dlrm(study);
}

}  // namespace overture::cli
