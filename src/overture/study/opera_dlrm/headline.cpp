#include "overture/study/opera_dlrm/headline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/study/chart.h"

namespace overture::study::opera_dlrm {
namespace {

Cell headline_work(const std::string& variant, int nodes) {
  return {.model = "A", .variant = variant, .nodes = nodes};
}

Cell with(Cell cell, StudyNetwork network, system::AlgorithmKind all_reduce, StudyBackend backend,
          const Setting& setting) {
  cell.network = network;
  cell.all_reduce = all_reduce;
  cell.backend = backend;
  cell.setting = setting;
  return cell;
}

Setting stamped_setting() { return Setting::published().without(Artefact::unstamped_syn); }

const StudyRow* row_of(const std::vector<StudyRow>& rows, Cell cell) {
  for (const StudyRow& row : rows) {
    cell.seed = row.cell.seed;
    if (row.cell == cell) return &row;
  }
  return nullptr;
}

double seconds_of(const CellResult& result) { return to_us(result.iteration) / 1e6; }

// Opera's mean time under each of the tree's.
std::vector<double> ratios(const StudyRow* tree, const StudyRow* opera) {
  std::vector<double> values;
  if (tree == nullptr || opera == nullptr) return values;
  for (const CellResult& result : tree->results) values.push_back(seconds_of(result) / opera->mean_seconds());
  return values;
}

std::optional<double> ratio(const StudyRow* tree, const StudyRow* opera) {
  if (tree == nullptr || opera == nullptr) return std::nullopt;
  return tree->mean_seconds() / opera->mean_seconds();
}

std::string range(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const auto [least, most] = std::ranges::minmax(values);
  if (values.size() == 1) return fmt::format("{:.2f}", least);
  return fmt::format("{:.2f} to {:.2f}", least, most);
}

std::string text_of(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::vector<Headline> headlines(const std::vector<int>& nodes) {
  const std::vector<Headline> all{{headline_work("baseline", 16), 1.197, "A, 16 nodes", {1.34, 1.24, 1.56}},
                                  {headline_work("baseline", 128), 1.136, "A, 128 nodes", {1.55, 1.56}},
                                  {headline_work("baseline", 1024), 0.925, "A, 1,024 nodes", {1.26, 2.43}},
                                  {headline_work("bs_2097152", 1024), 1.791, "A, 1,024, batch x4", {3.40}}};
  std::vector<Headline> wanted;
  for (const Headline& headline : all) {
    if (nodes.empty() || std::ranges::find(nodes, headline.work.nodes) != nodes.end())
      wanted.push_back(headline);
  }
  return wanted;
}

std::vector<Cell> headline_cells(const std::vector<int>& nodes, int seeds) {
  std::vector<Cell> cells;
  for (const Headline& headline : headlines(nodes)) {
    for (const Setting& setting : {Setting::published(), Setting::sound()}) {
      cells.push_back(with(headline.work, StudyNetwork::fat_tree, kRing, StudyBackend::flow, setting));
      cells.push_back(with(headline.work, StudyNetwork::opera, kDps, StudyBackend::flow, setting));
    }
    cells.push_back(
        with(headline.work, StudyNetwork::opera, kDps, StudyBackend::packet, Setting::published()));
    for (int seed = 1; seed <= seeds; ++seed) {
      cells.push_back(
          with(headline.work, StudyNetwork::fat_tree, kRing, StudyBackend::packet, Setting::published()));
      cells.back().seed = seed;
    }
    cells.push_back(
        with(headline.work, StudyNetwork::fat_tree, kRing, StudyBackend::packet, stamped_setting()));
  }
  return cells;
}

CellCost expected_cost(const Cell& cell) {
  if (cell.backend == StudyBackend::flow) return {cell.nodes > 128 ? 12.0 : 1.0, 0.5};
  const bool tree = cell.network == StudyNetwork::fat_tree;
  const double batches =
      cell.variant == "bs_2097152" ? 2 : 1;  // four times the batch takes about twice as long
  if (cell.nodes <= 16) return {tree ? 25.0 : 15.0, 0.2};
  if (cell.nodes <= 128) return {tree ? 63.0 : 35.0, 1.0};
  return {batches * (tree ? 732.0 : 480.0), batches * (tree ? 4.5 : 7.1)};
}

std::string announcement(const std::vector<Cell>& left, std::size_t all, int jobs) {
  if (left.empty()) return fmt::format("all {} cells are finished", all);
  double seconds = 0;
  double memory = 0;
  for (const Cell& cell : left) {
    seconds += expected_cost(cell).cpu_seconds;
    memory = std::max(memory, expected_cost(cell).memory_gb);
  }
  return fmt::format(
      "{} of {} cells are left: about {} of CPU time, {} at a time, up to {:.1f} GB each. Ctrl-C stops; the "
      "same "
      "command continues where it stopped.",
      left.size(), all, duration_text(seconds),
      std::min<std::size_t>(left.size(), static_cast<std::size_t>(jobs)), memory);
}

HeadlineFinding finding_of(const Headline& headline, const std::vector<StudyRow>& rows) {
  const auto row = [&](StudyNetwork network, StudyBackend backend, const Setting& setting) {
    const auto all_reduce = network == StudyNetwork::opera ? kDps : kRing;
    return row_of(rows, with(headline.work, network, all_reduce, backend, setting));
  };
  const auto pair = [&](StudyBackend backend, const Setting& setting) {
    return ratio(row(StudyNetwork::fat_tree, backend, setting), row(StudyNetwork::opera, backend, setting));
  };
  HeadlineFinding finding;
  const StudyRow* opera = row(StudyNetwork::opera, StudyBackend::packet, Setting::published());
  finding.packets = ratios(row(StudyNetwork::fat_tree, StudyBackend::packet, Setting::published()), opera);
  finding.stamped = ratio(row(StudyNetwork::fat_tree, StudyBackend::packet, stamped_setting()), opera);
  finding.flow = pair(StudyBackend::flow, Setting::published());
  finding.sound = pair(StudyBackend::packet, Setting::sound());
  finding.sound_is_packets = finding.sound.has_value();
  if (!finding.sound) finding.sound = pair(StudyBackend::flow, Setting::sound());
  return finding;
}

std::string headline_table(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows) {
  Table table({"model, nodes", "published", "packets, seeds", "SYN stamped", "fluid", "sound"});
  bool recorded = false;
  for (const Headline& headline : wanted) {
    const HeadlineFinding found = finding_of(headline, rows);
    const bool old = found.packets.empty();
    recorded = recorded || old;
    const std::vector<double>& values = old ? headline.recorded : found.packets;
    table.add({headline.what, fmt::format("{:.2f}", headline.published),
               fmt::format("{} ({}){}", range(values), values.size(), old ? "*" : ""), text_of(found.stamped),
               text_of(found.flow), text_of(found.sound)});
  }
  std::string text = table.text();
  if (recorded) text += "* recorded when the guide was written; --headline runs these packets here\n";
  return text;
}

Figure headline_figure(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  ColumnChart chart{.title = "The paper's headline: Opera with dps over the fat tree with a ring, model A",
                    .x = "nodes",
                    .y = "times as fast"};
  // Ratios of two networks, so in the colours of neither.
  chart.series = {{.name = "packets, lowest seed", .colour = "#bcbddc"},
                  {.name = "packets, highest seed", .colour = "#6a51a3"},
                  {.name = "packets, SYNs stamped", .colour = "#c994c7"},
                  {.name = "fluid, as published", .colour = "#969696"},
                  {.name = "sound", .colour = "#404040"}};
  for (const Headline& headline : wanted) {
    const HeadlineFinding found = finding_of(headline, rows);
    const auto& packets = found.packets.empty() ? headline.recorded : found.packets;
    const auto [least, most] = std::ranges::minmax(packets);
    chart.groups.push_back(headline.what);
    const double values[] = {least, most, found.stamped.value_or(kNone), found.flow.value_or(kNone),
                             found.sound.value_or(kNone)};
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      chart.series[s].values.push_back(values[s]);
      chart.series[s].published.push_back(headline.published);
    }
  }
  return {"headline.svg", to_svg(chart), chart.title,
          "Above 1, Opera is ahead. Where packets were not run here, they are as recorded in the guide."};
}

std::vector<Claim> headline_claims(const std::vector<Headline>& wanted, const std::vector<StudyRow>& rows) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Headline& headline = wanted[i];
    const HeadlineFinding found = finding_of(headline, rows);
    Claim claim{
        .id = fmt::format("H{}", i + 1),
        .text = fmt::format("Opera with DPS is {:.2f} times as fast as the fat tree with a ring ({}).",
                            headline.published, headline.what),
        .published = fmt::format("{:.2f}", headline.published)};
    if (found.packets.empty()) {
      claim.ours = fmt::format("recorded with packets: {}", range(headline.recorded));
      claim.why = "Packets were not run here; --headline runs them.";
    } else {
      const auto [least, most] = std::ranges::minmax(found.packets);
      // The ratio has three digits in the paper.
      const bool within = headline.published >= least - 0.005 && headline.published <= most + 0.005;
      claim.ours = fmt::format("{} with packets, {} seeds", range(found.packets), found.packets.size());
      claim.verdict = within ? Verdict::met : Verdict::not_met;
      claim.why = within ? "It lies within the spread of the seeds, which is wider than the advantage."
                         : "It lies outside of what the seeds give.";
    }
    if (found.stamped)
      claim.why +=
          fmt::format(" With stamped SYNs the ratio is {:.2f}: the rest of it is timeouts.", *found.stamped);
    if (found.flow) claim.why += fmt::format(" As a fluid, without timeouts, it is {:.2f}.", *found.flow);
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Claim> same_reduce_claims(const std::vector<StudyRow>& rows) {
  // Opera has no transport, and as a fluid the tree has no timeouts: what is left of the error is the
  // model's.
  constexpr double kAllowed = 0.05;
  std::vector<Claim> claims;
  for (const StudyRow& opera : rows) {
    const Cell& cell = opera.cell;
    if (cell.network != StudyNetwork::opera || cell.all_reduce != kDps || !cell.changes.empty() ||
        !(cell.setting == Setting::published()))
      continue;
    const auto found = opera_speedup(rows, cell, kDps, kDps);
    if (!found || !found->published) continue;
    const bool close = std::abs(found->ours / *found->published - 1) <= kAllowed;
    claims.push_back(
        {.id = fmt::format("D{}", claims.size() + 1),
         .text = fmt::format("With DPS on both, Opera is {:.2f} times as fast ({}, {}, {} nodes).",
                             *found->published, cell.model, cell.variant, cell.nodes),
         .published = fmt::format("{:.3f}", *found->published),
         .ours = fmt::format("{:.3f}, {} backend", found->ours, name(cell.backend)),
         .verdict = close ? Verdict::met : Verdict::not_met,
         .why = close ? "Within 5 %. With the same all-reduce the networks themselves are compared."
                      : "More than 5 % apart."});
  }
  return claims;
}

}  // namespace overture::study::opera_dlrm
