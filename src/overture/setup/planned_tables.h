// A sharding plan in a setup, `plan: [{count: 3, sharding: table_wise, ranks: [0]}, ...]`: of a DLRM that is
// simulated and of tables that are trained alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"
#include "overture/model/table_plan.h"
#include "overture/setup/value.h"

namespace overture::setup {

// Tables that follow each other and are placed alike.
struct PlannedTables {
  int count = 1;
  model::TableSharding sharding = model::TableSharding::table_wise;
  std::vector<int> ranks;
};

std::vector<PlannedTables> lines_of(const model::TablePlan& plan);
// `where` is that of the list. Throws UserError when a line has no table, or they have more than `tables`.
model::TablePlan plan_of(const std::vector<PlannedTables>& lines, std::size_t tables, const Where& where);

// Puts the list in the place of the name of a setup that has one under workload.dlrm.plan, such as
// planned.yaml, beside `file`. Throws UserError.
void open_plan(Value& plan, const std::string& file);

template <class V>
void describe_plan(V& v, std::vector<PlannedTables>& plan, std::string_view help) {
  v.list("plan", plan, help, [](auto& item, PlannedTables& p) {
    item.from("ours");
    item.field("count", p.count, "Tables that follow each other and are placed alike");
    item.field("sharding", p.sharding, "Sharding of these tables");
    item.integers("ranks", p.ranks,
                  "table_wise: the rank; column_wise: the rank of every share; otherwise all ranks");
  });
}

}  // namespace overture::setup
