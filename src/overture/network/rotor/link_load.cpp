#include "overture/network/rotor/link_load.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::network::rotor {

LinkLoad::LinkLoad(const LinkNumbers& links, Duration bin, int most_bins)
    : links_(links), bin_(bin), most_bins_(most_bins) {
  check(links.count() > 0 && bin > Duration{} && most_bins >= 2 && most_bins % 2 == 0,
        "links, time and an even number of bins");
}

LinkLoad::Cell& LinkLoad::at(std::int64_t when, int link) {
  while (when / bin_.count() >= most_bins_) thin();
  const auto width = static_cast<std::size_t>(links_.count());
  const auto bin = static_cast<std::size_t>(when / bin_.count());
  if ((bin + 1) * width > cells_.size()) cells_.resize((bin + 1) * width);
  return cells_[bin * width + static_cast<std::size_t>(link)];
}

int LinkLoad::bins() const { return cells_.empty() ? 0 : static_cast<int>(cells_.size()) / links_.count(); }

void LinkLoad::thin() {
  const int before = bins();
  const auto width = static_cast<std::size_t>(links_.count());
  for (int bin = 0; bin < before; ++bin) {
    for (std::size_t i = 0; i < width; ++i) {
      const Cell each = cells_[static_cast<std::size_t>(bin) * width + i];
      Cell& joined = cells_[static_cast<std::size_t>(bin / 2) * width + i];
      joined =
          bin % 2 == 0 ? each : Cell{joined.carried + each.carried, std::max(joined.queued, each.queued)};
    }
  }
  cells_.resize(static_cast<std::size_t>((before + 1) / 2) * width);
  bin_ *= 2;
}

}  // namespace overture::network::rotor
