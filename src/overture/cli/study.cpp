#include <algorithm>

#include "overture/cli/commands.h"
#include "overture/cli/studies.h"

namespace overture::cli {

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) words.emplace_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

void add_study(Command& root) {
  Command study = root.add("study", "Rerun and examine published studies; study training through failures");
  add_astra_tutorial(study);
  add_failures(study);
  add_cache_networks(study);
  add_hoti_dlrm(study);
  add_opera_dlrm(study);
}

}  // namespace overture::cli
