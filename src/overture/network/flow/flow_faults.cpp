// What faults do to a fluid: a link that is down carries nothing, one that loses packets only what gets
// through, and once routes have changed what is under way goes on along another path with the bytes it has
// left. A fluid loses nothing, so nothing is sent twice.
#include <algorithm>

#include <fmt/format.h>

#include "overture/network/flow/flow_network.h"

namespace overture::network::flow {

// Share of the link's capacity that faults leave.
double FlowNetwork::left_of(std::uint32_t link, Time when) const {
  const int id = static_cast<int>(link);
  if (!faults_->is_faulty(id)) return 1;
  if (faults_->is_down(id, when)) return 0;
  constexpr Bytes kPacket{1500};
  return (1 - faults_->loss(id, when)) * (1 - faults_->corruption(id, when, kPacket));
}

Time FlowNetwork::next_fault() const {
  const std::vector<Time>& routes = faults_->route_changes();
  const Time route = route_changes_ < routes.size() ? routes[route_changes_] : Time::max();
  return std::min(route, faults_->next_change(events().now()));
}

void FlowNetwork::follow_faults() {
  change_faulty_capacities();
  const std::vector<Time>& routes = faults_->route_changes();
  if (route_changes_ == routes.size() || routes[route_changes_] > events().now()) return;
  while (route_changes_ < routes.size() && routes[route_changes_] <= events().now()) ++route_changes_;
  change_routes();
  act_soon();
}

void FlowNetwork::change_routes() {
  live_.emplace(topology_.graph, faults_->known_down_at(events().now()));
  ways_.go_around(live_->any_down() ? &*live_ : nullptr);
  for (std::uint32_t run = 0; run < runs_.size(); ++run) {
    if (runs_[run].missing > 0 && ways_.is_cut(sent_[runs_[run].message].way)) send_around(run);
  }
}

// A run of one message: all are, where a part may fail.
void FlowNetwork::send_around(std::uint32_t id) {
  Run& run = runs_[id];
  Sent& sent = sent_[run.message];
  const Way way = ways_.find(index(sent.message.from), index(sent.message.to));
  if (ways_.is_cut(way)) return;
  ++reroutes_;
  const double left = fluid_.withdraw(run.traffic->lanes.front(), id, events().now());
  sent.way = way;
  const std::shared_ptr<Traffic> traffic = single(way);
  cover(*traffic);
  runs_[id].traffic = traffic;
  fluid_.start(traffic->lanes.front(), left, id, events().now());
}

void FlowNetwork::change_faulty_capacities() {
  const Time now = events().now();
  if (!std::ranges::binary_search(faults_->changes(), now)) return;
  for (std::uint32_t i = 0; i < symmetry_.link_classes(); ++i) {
    if (faults_->is_faulty(static_cast<int>(symmetry_.example(i)))) fluid_.capacity_changed(i);
  }
}

// Messages under way, and those of their pairs that wait behind them, once routes change no more.
std::vector<std::string> FlowNetwork::undelivered() const {
  std::vector<std::string> lines;
  if (route_changes_ < faults_->route_changes().size()) return lines;
  for (const Run& run : runs_) {
    if (run.missing == 0 || !ways_.is_cut(sent_[run.message].way)) continue;
    for (std::uint32_t id = run.message; id != kNoMessage; id = sent_[id].next) {
      const Message& message = sent_[id].message;
      lines.push_back(fmt::format("h{} to h{}: no path is left", index(message.from), index(message.to)));
    }
  }
  return lines;
}

}  // namespace overture::network::flow
