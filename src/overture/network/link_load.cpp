#include "overture/network/link_load.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::network {

LinkLoad::LinkLoad(int links, Duration bin, int most_bins) : links_(links), bin_(bin), most_bins_(most_bins) {
  check(links > 0 && bin > Duration{} && most_bins >= 2 && most_bins % 2 == 0,
        "links, time and an even number of bins");
}

LinkLoad::Cell& LinkLoad::at(std::int64_t when, int link) {
  while (when / bin_.count() >= most_bins_) thin();
  const auto width = static_cast<std::size_t>(links_);
  const auto bin = static_cast<std::size_t>(when / bin_.count());
  if ((bin + 1) * width > cells_.size()) cells_.resize((bin + 1) * width);
  return cells_[bin * width + static_cast<std::size_t>(link)];
}

void LinkLoad::carry_during(int link, std::int64_t start, std::int64_t busy, std::int64_t bytes) {
  const std::int64_t end = start + busy;
  at(end, link);  // makes room, so that bins keep their length below
  std::int64_t done = 0;
  for (std::int64_t now = start; now < end;) {
    now = std::min(end, (now / bin_.count() + 1) * bin_.count());
    const auto so_far = static_cast<std::int64_t>(Int128{bytes} * (now - start) / busy);
    at(now - 1, link).carried += so_far - done;
    done = so_far;
  }
  if (busy == 0) at(start, link).carried += bytes;
}

int LinkLoad::bins() const { return cells_.empty() ? 0 : static_cast<int>(cells_.size()) / links_; }

void LinkLoad::thin() {
  const int before = bins();
  const auto width = static_cast<std::size_t>(links_);
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

void LinkLoad::put_into(NetworkRecord& record) const {
  check(record.links.size() == static_cast<std::size_t>(links_), "a record has the links that were watched");
  record.history = LinkHistory({.interval = bin_, .samples = bins() + 2}, record.links.size());
  std::vector<LinkState> states(record.links.size());
  for (int bin = 0; bin < bins(); ++bin) {
    for (int i = 0; i < links_; ++i) {
      LinkState& state = states[static_cast<std::size_t>(i)];
      LinkRecord& total = record.links[static_cast<std::size_t>(i)].total;
      state.sent += carried(bin, i);
      state.queued = longest_queue(bin, i);
      total.peak_queue = std::max(total.peak_queue, state.queued);
    }
    record.history.add(states);
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    record.links[i].total.carried = states[i].sent;
    record.links[i].total.busy = transfer_time(states[i].sent, record.links[i].rate);
  }
}

}  // namespace overture::network
