#include "overture/train/row_traffic.h"

#include <memory>
#include <utility>

namespace overture::train {
namespace {

using Shares = std::vector<std::vector<embedding::TableShare>>;

// Where a row is by its id alone, one server is asked; otherwise all are.
lookahead::ServersOf servers_of(const TrainConfig& config) {
  auto shares =
      std::make_shared<const Shares>(embedding::all_shares(config.tables, config.division, config.servers));
  return [shares = std::move(shares), division = config.division](lookahead::Row row,
                                                                  std::vector<lookahead::ServedPart>& parts) {
    parts.clear();
    const auto t = static_cast<std::size_t>(table(row));
    const auto add = [&](std::size_t server) {
      const embedding::TableShare& share = (*shares)[server][t];
      if (share.holds(id(row))) parts.push_back({static_cast<int>(server), share.used()});
    };
    if (division.by_id(t)) return add(static_cast<std::size_t>(id(row)) % shares->size());
    for (std::size_t server = 0; server < shares->size(); ++server) add(server);
  };
}

}  // namespace

lookahead::TrafficConfig traffic_of(const TrainConfig& config) {
  lookahead::TrafficConfig traffic{.planner = config.planner(), .servers = config.servers};
  for (const embedding::RowLayout& layout : config.tables.layouts()) {
    traffic.gradient_numbers.push_back(layout.dim);
    traffic.row_numbers.push_back(layout.used());
  }
  traffic.servers_of = servers_of(config);
  return traffic;
}

}  // namespace overture::train
