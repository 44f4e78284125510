#include "overture/report/flow_log.h"

#include <fmt/format.h>

#include "overture/report/csv_grid.h"
#include "overture/simulation/traffic.h"

namespace overture::report {
namespace {

double us(Time time) { return to_us(time.time_since_epoch()); }

// Task, what it is, its kind, its iteration, and which chunk of it.
std::string task_of(const workload::TaskGraph& graph, const network::MessageName& name) {
  if (name.task == network::kNoTask) return ",,,,";
  const workload::TaskId task{name.task};
  const std::string chunk = name.chunk < 0 ? "" : fmt::format("{}", name.chunk);
  return fmt::format("{},{},{},{},{}", name.task, csv_cell(graph.name(task)),
                     simulation::traffic_kind(graph, name), iteration_of(graph, task), chunk);
}

}  // namespace

void FlowLog::add(const network::Delivery& delivery) {
  if (too_many_) return;
  if (flows_.size() < most_) return flows_.push_back(delivery);
  too_many_ = true;
  flows_.clear();
  flows_.shrink_to_fit();
}

std::string FlowLog::csv(const workload::TaskGraph& graph) const {
  if (flows_.empty()) return {};
  std::string text = "from,to,bytes,start_us,end_us,task,what,kind,iteration,chunk\n";
  for (const network::Delivery& flow : flows_) {
    const network::Message& message = flow.message;
    text += fmt::format("{},{},{},{:.6f},{:.6f},{}\n", index(message.from), index(message.to),
                        message.size.count(), us(flow.start), us(flow.end), task_of(graph, message.name));
  }
  return text;
}

}  // namespace overture::report
