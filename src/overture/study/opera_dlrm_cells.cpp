#include "overture/study/opera_dlrm_cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study {
namespace {

using workload::AllReduce;

template <class T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<StudyNetwork, 2> kNetworks{
    {{StudyNetwork::fat_tree, "fat-tree"}, {StudyNetwork::opera, "opera"}}};
constexpr Names<StudyBackend, 2> kBackends{{{StudyBackend::flow, "flow"}, {StudyBackend::packet, "packet"}}};
constexpr Names<AllReduce, 3> kAllReduces{{{AllReduce::ring, "ring"},
                                           {AllReduce::distributed_parameter_server, "dps"},
                                           {AllReduce::parameter_server, "ps"}}};

template <class T, std::size_t N>
T parse(std::string_view word, const Names<T, N>& names, std::string_view what) {
  std::vector<std::string> known;
  for (const auto& [value, name] : names) {
    if (name == word) return value;
    known.emplace_back(name);
  }
  throw UserError(fmt::format("unknown {} \"{}\"", what, word), suggest(word, known));
}

template <class T, std::size_t N>
std::string_view name_in(const Names<T, N>& names, T value) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return "";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

int whole_number(std::string_view text, std::string_view what) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1)
    throw UserError(fmt::format("the {} of a cell is a number of at least 1, not \"{}\"", what, text));
  return number;
}

constexpr std::string_view kTables = "-tables";

template <class T>
bool chosen(const std::vector<T>& some, const T& one) {
  return some.empty() || std::ranges::find(some, one) != some.end();
}

bool can_run(const Cell& cell) {
  return cell.backend == StudyBackend::packet || cell.network == StudyNetwork::fat_tree ||
         cell.all_reduce == AllReduce::distributed_parameter_server;
}

void require_known(const MatrixChoice& choice) {
  std::vector<std::string> variants;
  for (const model::PublishedVariant& each : model::published_variants()) {
    if (std::ranges::find(variants, each.variant) == variants.end()) variants.push_back(each.variant);
  }
  for (const std::string& model : choice.models) model::published_model(model);
  for (const std::string& word : choice.variants) {
    if (std::ranges::find(variants, word) == variants.end())
      throw UserError(fmt::format("unknown variant \"{}\"", word), suggest(word, variants));
  }
  for (const int nodes : choice.nodes) model::published_networks(nodes);
  for (const int tables : choice.tables) {
    if (tables < 1) throw UserError(fmt::format("a model has at least one table, not {}", tables));
  }
  if (choice.seeds < 1) throw UserError("at least one seed is needed");
}

// Cells that differ only in network, all-reduce and seed: what is compared stands side by side.
void add_comparison(std::vector<Cell>& cells, const MatrixChoice& choice, Cell cell) {
  for (const auto& [network, network_name] : kNetworks) {
    if (!chosen(choice.networks, network)) continue;
    for (const AllReduce all_reduce : {AllReduce::ring, AllReduce::distributed_parameter_server}) {
      if (!chosen(choice.all_reduces, all_reduce)) continue;
      cell.network = network;
      cell.all_reduce = all_reduce;
      if (!can_run(cell)) continue;
      for (cell.seed = 1; cell.seed <= choice.seeds; ++cell.seed) cells.push_back(cell);
    }
  }
}

}  // namespace

std::string_view name(StudyNetwork network) { return name_in(kNetworks, network); }
std::string_view name(StudyBackend backend) { return name_in(kBackends, backend); }
std::string_view name(AllReduce all_reduce) { return name_in(kAllReduces, all_reduce); }
StudyNetwork parse_network(std::string_view word) { return parse(word, kNetworks, "network"); }
StudyBackend parse_backend(std::string_view word) { return parse(word, kBackends, "backend"); }
AllReduce parse_all_reduce(std::string_view word) { return parse(word, kAllReduces, "all-reduce"); }

std::string name(const Cell& cell) {
  std::string text =
      fmt::format("{}.{}.{}.{}.{}.{}.{}.{}", cell.model, cell.variant, cell.nodes, name(cell.network),
                  name(cell.all_reduce), name(cell.backend), cell.setting.name(), cell.seed);
  if (cell.tables > 0) text += fmt::format(".{}{}", cell.tables, kTables);
  return text;
}

Cell parse_cell(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 8 && !(parts.size() == 9 && parts[8].ends_with(kTables))) {
    throw UserError(fmt::format("\"{}\" is no cell", text),
                    "a cell looks like A.baseline.16.fat-tree.ring.packet.sound.1");
  }
  Cell cell{.model = parts[0],
            .variant = parts[1],
            .nodes = whole_number(parts[2], "number of nodes"),
            .network = parse_network(parts[3]),
            .all_reduce = parse_all_reduce(parts[4]),
            .backend = parse_backend(parts[5]),
            .setting = Setting::parse(parts[6]),
            .seed = whole_number(parts[7], "seed")};
  if (parts.size() == 9)
    cell.tables = whole_number(parts[8].substr(0, parts[8].size() - kTables.size()), "number of tables");
  require_runnable(cell);
  return cell;
}

model::PublishedVariant variant_of(const Cell& cell) {
  model::published_model(cell.model);
  std::vector<std::string> known;
  for (const model::PublishedVariant& each : model::published_variants()) {
    if (each.model != cell.model) continue;
    if (each.variant == cell.variant) return each;
    known.push_back(each.variant);
  }
  throw UserError(fmt::format("model {} has no variant \"{}\"", cell.model, cell.variant),
                  suggest(cell.variant, known));
}

void require_runnable(const Cell& cell) {
  variant_of(cell);
  model::published_networks(cell.nodes);
  if (can_run(cell)) return;
  throw UserError(fmt::format("the flow backend cannot run {} on opera: it has no circuits over a third ToR",
                              name(cell.all_reduce)),
                  "use --backend packet, or dps");
}

std::vector<Cell> matrix(const MatrixChoice& choice) {
  require_known(choice);
  const std::vector<int> tables = choice.tables.empty() ? std::vector{0} : choice.tables;
  std::vector<Cell> cells;
  for (const model::PublishedVariant& variant : model::published_variants()) {
    if (!chosen(choice.models, variant.model) || !chosen(choice.variants, variant.variant)) continue;
    for (const int nodes : model::published_nodes()) {
      if (!chosen(choice.nodes, nodes)) continue;
      for (const int count : tables) {
        add_comparison(cells, choice,
                       {.model = variant.model,
                        .variant = variant.variant,
                        .nodes = nodes,
                        .backend = choice.backend,
                        .setting = choice.setting,
                        .tables = count});
      }
    }
  }
  if (cells.empty()) {
    throw UserError("no cell of the matrix is left",
                    "embdim_40 and embdim_93 are model A's; the flow backend has no ring on opera");
  }
  return cells;
}

}  // namespace overture::study
