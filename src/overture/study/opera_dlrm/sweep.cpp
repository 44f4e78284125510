#include "overture/study/opera_dlrm/sweep.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study::opera_dlrm {
namespace {

using system::AlgorithmKind;

constexpr std::string_view kAllReduce = "all-reduce";

Cell with(Cell cell, const std::string& axis, const std::string& value) {
  if (axis == kAllReduce) {
    cell.all_reduce = parse_all_reduce(value);
  } else {
    cell.changes.set(parse_knob(axis), value);
  }
  return cell;
}

// On `network`: without the parts that it does not have. All points of a sweep as a fluid name the time of
// reconfiguration, the unchanged one too.
Cell on(StudyNetwork network, Cell cell) {
  cell.network = network;
  if (network == StudyNetwork::opera) {
    if (cell.backend == StudyBackend::flow && !cell.changes.of(Knob::reconfiguration_us))
      cell.changes.set(Knob::reconfiguration_us, kReconfigurationUs);
    return cell;
  }
  for (const Knob knob : all_knobs()) {
    if (is_of_rotors(knob)) cell.changes.clear(knob);
  }
  return cell;
}

std::vector<Cell> bases(const MatrixChoice& choice) {
  MatrixChoice one = choice;
  if (one.variants.empty()) one.variants = {"baseline"};
  one.networks = {StudyNetwork::fat_tree};
  one.all_reduces = {system::kLockstepRing};
  return matrix(one);
}

std::vector<StudyNetwork> networks(const MatrixChoice& choice) {
  std::vector<StudyNetwork> all{StudyNetwork::fat_tree, StudyNetwork::opera};
  for (const StudyNetwork network : choice.networks) {
    if (std::ranges::find(all, network) == all.end()) all.push_back(network);
  }
  return all;
}

SweepAxis all_reduces(const MatrixChoice& choice) {
  SweepAxis axis{.name = std::string(kAllReduce), .values = {}};
  for (const AlgorithmKind each : choice.all_reduces) axis.values.emplace_back(all_reduce_name(each));
  if (axis.values.empty()) axis.values = {"ring", "dps"};
  return axis;
}

void add(SweepPlan& plan, const Cell& cell) {
  if (std::ranges::find(plan.cells, cell) != plan.cells.end()) return;
  try {
    require_runnable(cell);
    plan.cells.push_back(cell);
  } catch (const UserError& error) {
    const std::string why = error.what();
    const std::string reason = why.substr(0, why.find('\n'));
    auto found = std::ranges::find(plan.left_out, reason, &LeftOut::reason);
    if (found == plan.left_out.end()) found = plan.left_out.insert(found, {.reason = reason, .cells = {}});
    if (std::ranges::find(found->cells, cell) == found->cells.end()) found->cells.push_back(cell);
  }
}

// All combinations of the values of axes [first, end) on top of `cell`.
void add_all(SweepPlan& plan, const MatrixChoice& choice, const std::vector<SweepAxis>& axes,
             std::size_t first, const Cell& cell) {
  if (first < axes.size()) {
    for (const std::string& value : axes[first].values)
      add_all(plan, choice, axes, first + 1, with(cell, axes[first].name, value));
    return;
  }
  // What is trained also runs on Opera as it was, to compare with.
  Cell unchanged = cell;
  unchanged.all_reduce = system::kDistributedParameterServer;
  for (const Knob knob : all_knobs()) {
    if (!changes_work(knob)) unchanged.changes.clear(knob);
  }
  add(plan, on(StudyNetwork::opera, unchanged));
  for (const StudyNetwork network : networks(choice)) add(plan, on(network, cell));
}

bool same_work(const Cell& a, const Cell& b) {
  const bool knobs = std::ranges::all_of(all_knobs(), [&](Knob knob) {
    return !changes_work(knob) || a.changes.of(knob) == b.changes.of(knob);
  });
  return knobs && a.model == b.model && a.variant == b.variant && a.nodes == b.nodes &&
         a.backend == b.backend && a.setting == b.setting;
}

// Without the changes that only say what is so anyway.
Changes design(const Cell& cell) {
  Changes changes = cell.changes;
  for (const Knob knob : all_knobs()) {
    if (changes_work(knob)) changes.clear(knob);
  }
  if (changes.of(Knob::reconfiguration_us) == kReconfigurationUs) changes.clear(Knob::reconfiguration_us);
  if (changes.of(Knob::placement) == 0) changes.clear(Knob::placement);
  return changes;
}

const StudyRow* faster(const StudyRow* a, const StudyRow* b) {
  return a == nullptr || b->mean_seconds() < a->mean_seconds() ? b : a;
}

void count(CoDesign& of, const StudyRow& row) {
  const Cell& cell = row.cell;
  if (cell.network == StudyNetwork::fat_tree) of.tree = faster(of.tree, &row);
  if (cell.network != StudyNetwork::opera) return;
  const Changes changes = design(cell);
  if (changes.empty() && cell.all_reduce == system::kDistributedParameterServer) of.opera = &row;
  if (!changes.of(Knob::reconfiguration_us)) of.tuned = faster(of.tuned, &row);
  of.best = faster(of.best, &row);
}

// With which Opera is the fastest when nothing else of its design is changed.
std::optional<std::int64_t> best_value(const std::vector<StudyRow>& rows, const Cell& work, Knob knob) {
  const StudyRow* found = nullptr;
  for (const StudyRow& row : rows) {
    Changes changes = design(row.cell);
    changes.clear(knob);
    if (row.cell.network == StudyNetwork::opera && same_work(row.cell, work) && changes.empty())
      found = faster(found, &row);
  }
  return found == nullptr ? std::nullopt : found->cell.changes.of(knob);
}

Changes set_to(Changes changes, Knob knob, std::optional<std::int64_t> value) {
  changes.clear(knob);
  if (value) changes.set(knob, *value);
  return changes;
}

std::vector<std::int64_t> values_of(const std::vector<StudyRow>& rows, Knob knob) {
  std::vector<std::int64_t> values;
  for (const StudyRow& row : rows) {
    const auto value = row.cell.changes.of(knob);
    if (value && std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  return values;
}

Cell work_of(Cell cell) {
  cell.network = StudyNetwork::fat_tree;
  cell.all_reduce = system::kLockstepRing;
  cell.seed = 1;
  for (const Knob knob : all_knobs()) {
    if (!changes_work(knob)) cell.changes.clear(knob);
  }
  return cell;
}

}  // namespace

SweepAxis parse_sweep_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view list = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  SweepAxis axis{.name = std::string(text.substr(0, equals)), .values = {}};
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) axis.values.emplace_back(list.substr(start, end - start));
    start = end + 1;
  }
  if (axis.values.empty()) {
    throw UserError(fmt::format("\"{}\" gives no values to sweep over", text),
                    "write slice-us=10,20,40, or auto");
  }
  for (const std::string& value : axis.values) with(Cell{}, axis.name, value);
  return axis;
}

std::vector<SweepAxis> automatic_axes(StudyBackend backend) {
  std::vector<SweepAxis> axes{{"slice-us", {"20", "40", "80", "160"}},
                              {"reconfiguration-us", {"1", "5", "20"}},
                              {"batch", {"262144", "1048576", "2097152"}},
                              {"feature-size", {"40", "160"}},
                              {"tables", {"2000"}},
                              {"column-spread", {"4"}},
                              {"placement", {"size-balanced"}}};
  if (backend == StudyBackend::packet) axes.push_back({"bulk-threshold-kb", {"100", "1000", "15000"}});
  return axes;
}

SweepPlan sweep_all(const MatrixChoice& choice, const std::vector<SweepAxis>& axes) {
  std::vector<SweepAxis> all = axes;
  if (std::ranges::find(axes, kAllReduce, &SweepAxis::name) == axes.end()) all.push_back(all_reduces(choice));
  SweepPlan plan;
  for (const Cell& cell : bases(choice)) add_all(plan, choice, all, 0, cell);
  if (plan.cells.empty()) throw UserError("no point of the sweep can run", plan.left_out.front().reason);
  return plan;
}

SweepPlan sweep_each(const MatrixChoice& choice, const std::vector<SweepAxis>& axes) {
  SweepPlan plan = sweep_all(choice, {});
  const auto merge = [&plan](const SweepPlan& more) {
    for (const Cell& cell : more.cells) {
      // Where a node has one table at most, there is nothing to place: the widest table is alone anyway.
      if (cell.changes.of(Knob::column_spread) && tables_of(cell) <= cell.nodes) continue;
      add(plan, cell);
    }
    for (const LeftOut& out : more.left_out) {
      for (const Cell& cell : out.cells) add(plan, cell);
    }
  };
  for (const SweepAxis& axis : axes) {
    // Equal tables are placed alike by any rule.
    if (axis.name == name(Knob::placement)) {
      merge(sweep_all(choice, {{"column-spread", {"4"}}, axis}));
    } else {
      merge(sweep_all(choice, {axis}));
    }
  }
  return plan;
}

SweepPlan sweep_best(const std::vector<StudyRow>& rows) {
  SweepPlan plan;
  const std::vector<CoDesign> designs = co_designs(rows);
  for (const CoDesign& of : designs) {
    // Rotors were varied on the unchanged work only.
    const auto base = std::ranges::find_if(designs, [&](const CoDesign& other) {
      return other.work.changes.empty() && other.work.model == of.work.model &&
             other.work.variant == of.work.variant && other.work.nodes == of.work.nodes;
    });
    if (base == designs.end()) continue;
    Cell best = of.best->cell;
    for (const Knob knob : {Knob::slice_us, Knob::reconfiguration_us, Knob::bulk_threshold_kb})
      best.changes = set_to(best.changes, knob, best_value(rows, base->work, knob));
    add(plan, best);
    // A shorter change wants a shorter slice, which no axis alone tells.
    Cell other = best;
    other.changes.clear(Knob::slice_us);
    add(plan, other);
    for (const std::int64_t slice : values_of(rows, Knob::slice_us)) {
      other.changes.set(Knob::slice_us, slice);
      if (&of == &*base) add(plan, other);
    }
    // The same on the rotors that there are.
    best.changes.clear(Knob::reconfiguration_us);
    add(plan, on(StudyNetwork::opera, best));
  }
  return plan;
}

double CoDesign::gap() const { return opera->mean_seconds() / tree->mean_seconds() - 1; }
double CoDesign::left() const { return best->mean_seconds() / tree->mean_seconds() - 1; }

std::optional<double> CoDesign::closed() const {
  if (gap() <= 0) return std::nullopt;
  return 1 - left() / gap();
}

std::vector<CoDesign> co_designs(const std::vector<StudyRow>& rows) {
  std::vector<CoDesign> all;
  for (const StudyRow& row : rows) {
    auto found = std::ranges::find_if(all, [&](const CoDesign& of) { return same_work(of.work, row.cell); });
    if (found == all.end()) found = all.insert(all.end(), {.work = work_of(row.cell)});
    count(*found, row);
  }
  std::erase_if(all, [](const CoDesign& of) { return of.tree == nullptr || of.opera == nullptr; });
  return all;
}

}  // namespace overture::study::opera_dlrm
