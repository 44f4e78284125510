#include "overture/study/opera_dlrm/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/table.h"

namespace overture::study::opera_dlrm {
namespace {

using system::AlgorithmKind;

// One line of the table.
struct Flip {
  std::string text;
  Setting setting = Setting::published();
  AlgorithmKind on_tree = kRing;
  AlgorithmKind on_opera = kDps;
};

std::vector<Flip> flips() {
  std::vector<Flip> all{{.text = "as published: dps against ring"}};
  for (const Artefact artefact : all_artefacts()) {
    all.push_back({.text = fmt::format("without {}", name(artefact)),
                   .setting = Setting::published().without(artefact)});
  }
  all.push_back({.text = "dps on both", .on_tree = kDps});
  all.push_back({.text = "ring on both", .on_opera = kRing});
  all.push_back({.text = "sound: dps against ring", .setting = Setting::sound()});
  all.push_back({.text = "sound: dps on both", .setting = Setting::sound(), .on_tree = kDps});
  all.push_back({.text = "sound: ring on both", .setting = Setting::sound(), .on_opera = kRing});
  return all;
}

const StudyRow* find(const std::vector<StudyRow>& rows, Cell cell) {
  const auto found = std::ranges::find_if(rows, [&](const StudyRow& row) {
    cell.seed = row.cell.seed;
    return row.cell == cell;
  });
  return found == rows.end() ? nullptr : &*found;
}

Cell with(Cell cell, const Setting& setting, StudyNetwork network, AlgorithmKind all_reduce) {
  cell.setting = setting;
  cell.network = network;
  cell.all_reduce = all_reduce;
  return cell;
}

std::string seconds(const StudyRow* row) { return row ? fmt::format("{:.3f}", row->mean_seconds()) : "-"; }

std::string explain_table(const std::vector<StudyRow>& rows, const Cell& like) {
  Table table({"", "fat tree s", "opera s", "speed-up", "change"});
  std::optional<double> first;
  for (const Flip& flip : flips()) {
    const StudyRow* tree = find(rows, with(like, flip.setting, StudyNetwork::fat_tree, flip.on_tree));
    const StudyRow* opera = find(rows, with(like, flip.setting, StudyNetwork::opera, flip.on_opera));
    std::optional<double> speedup;
    if (tree != nullptr && opera != nullptr) speedup = tree->mean_seconds() / opera->mean_seconds();
    if (!first) first = speedup;
    table.add({flip.text, seconds(tree), seconds(opera), speedup ? fmt::format("{:.3f}", *speedup) : "-",
               speedup ? fmt::format("{:+.3f}", *speedup - *first) : "-"});
  }
  return fmt::format("Model {}, {}, {} nodes, {} backend\n{}", like.model, like.variant, like.nodes,
                     name(like.backend), table.text());
}

}  // namespace

std::vector<Cell> explain_cells(const MatrixChoice& choice) {
  std::vector<Cell> cells;
  const auto add = [&](const Setting& setting, StudyNetwork network, AlgorithmKind all_reduce) {
    MatrixChoice one = choice;
    one.setting = setting;
    one.networks = {network};
    one.all_reduces = {all_reduce};
    for (const Cell& cell : matrix(one)) {
      if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
    }
  };
  for (const Flip& flip : flips()) {
    add(flip.setting, StudyNetwork::fat_tree, flip.on_tree);
    add(flip.setting, StudyNetwork::opera, flip.on_opera);
  }
  return cells;
}

std::string explain_tables(const std::vector<StudyRow>& rows) {
  std::string text;
  std::vector<Cell> seen;
  for (const StudyRow& row : rows) {
    Cell like = with(row.cell, Setting::published(), StudyNetwork::fat_tree, kRing);
    like.seed = 1;
    if (std::ranges::find(seen, like) != seen.end()) continue;
    seen.push_back(like);
    text += (text.empty() ? "" : "\n") + explain_table(rows, like);
  }
  return text;
}

}  // namespace overture::study::opera_dlrm
