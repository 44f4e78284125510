#include "overture/study/opera_dlrm/cells.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::study::opera_dlrm {
namespace {

using system::AlgorithmKind;

template <class T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<StudyNetwork, 3> kNetworks{{{StudyNetwork::fat_tree, "fat-tree"},
                                            {StudyNetwork::topoopt, "topoopt"},
                                            {StudyNetwork::opera, "opera"}}};
constexpr Names<StudyBackend, 2> kBackends{{{StudyBackend::flow, "flow"}, {StudyBackend::packet, "packet"}}};
constexpr Names<AlgorithmKind, 3> kAllReduces{{{system::kLockstepRing, "ring"},
                                               {system::kDistributedParameterServer, "dps"},
                                               {system::kParameterServer, "ps"}}};

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

int whole_number(std::string_view text, std::string_view what) {
  const int number = parse_number<int>(text).value_or(0);
  if (number < 1)
    throw UserError(fmt::format("the {} of a cell is a number of at least 1, not \"{}\"", what, text));
  return number;
}

constexpr std::size_t kFixedParts = 8;  // of a cell's name; what follows are changes

template <class T>
bool chosen(const std::vector<T>& some, const T& one) {
  return some.empty() || std::ranges::find(some, one) != some.end();
}

struct Refusal {
  std::string what;
  std::string hint;
};

std::optional<Refusal> refused_by_backend(const Cell& cell) {
  // Four rings for every layer, each a flow of its own over fibres that tables load unevenly: no two are
  // alike, and 128 nodes take the fluid longer than packets do.
  if (cell.backend == StudyBackend::flow && cell.network == StudyNetwork::topoopt && cell.nodes > 16) {
    return Refusal{
        fmt::format("the flow backend runs topoopt on 16 nodes, not on {}: its flows are too many to "
                    "solve",
                    cell.nodes),
        "use --backend packet"};
  }
  if (cell.backend != StudyBackend::flow || cell.network != StudyNetwork::opera) return std::nullopt;
  if (cell.changes.value_or(Knob::bulk_threshold_kb, 0) > 0) {
    return Refusal{"the flow backend has no low-latency packets, so bulk-threshold-kb means nothing to it",
                   "use --backend packet"};
  }
  return std::nullopt;
}

std::optional<Refusal> refused_by_network(const Cell& cell) {
  for (const Knob knob : all_knobs()) {
    if (!is_of_rotors(knob) || !cell.changes.of(knob) || cell.network == StudyNetwork::opera) continue;
    return Refusal{fmt::format("{} has no rotors, so {} means nothing to it", name(cell.network), name(knob)),
                   "use opera"};
  }
  // The topology has the last word, with what the wires need on top.
  const std::int64_t dark = cell.changes.value_or(Knob::reconfiguration_us, kReconfigurationUs);
  const auto slice = cell.changes.of(Knob::slice_us);
  if (slice && *slice <= dark) {
    return Refusal{
        fmt::format("a slice of {} us is no longer than the reconfiguration of {} us in it", *slice, dark),
        fmt::format("use slice-us={} or more, or a shorter reconfiguration-us", dark + 2)};
  }
  return std::nullopt;
}

std::optional<Refusal> refused_by_work(const Cell& cell) {
  constexpr int kGpus = 8;  // of a node: workload::DlrmStep
  const std::int64_t least = std::int64_t{kGpus} * cell.nodes;
  if (variant_of(cell).batch >= least) return std::nullopt;
  return Refusal{fmt::format("a batch of {} is too small for {} nodes of {} GPUs", variant_of(cell).batch,
                             cell.nodes, kGpus),
                 fmt::format("use batch={} or more", least)};
}

std::optional<Refusal> refusal(const Cell& cell) {
  for (const auto refused : {refused_by_work, refused_by_backend, refused_by_network}) {
    if (const auto reason = refused(cell)) return reason;
  }
  return std::nullopt;
}

std::vector<AlgorithmKind> all_reduces(const MatrixChoice& choice, StudyNetwork network) {
  if (!choice.all_reduces.empty()) return choice.all_reduces;
  if (network == StudyNetwork::topoopt) return {system::kLockstepRing};
  return {system::kLockstepRing, system::kDistributedParameterServer};
}

// The variant's long and short name.
constexpr std::array<std::pair<const char*, const char*>, 4> kShortNames{
    {{"bs_1048576", "bs1k"}, {"bs_2097152", "bs2k"}, {"embdim_40", "fs40"}, {"embdim_93", "fs93"}}};

void require_known(const MatrixChoice& choice) {
  std::vector<std::string> variants;
  for (const model::PublishedVariant& each : model::published_variants()) {
    if (std::ranges::find(variants, each.variant) == variants.end()) variants.push_back(each.variant);
  }
  const auto of_flag = [](const char* flag, const auto& values, auto look_up) {
    try {
      for (const auto& value : values) look_up(value);
    } catch (const UserError& error) {
      throw at({.key = flag}, error);
    }
  };
  of_flag("--models", choice.models, [](const std::string& model) { model::published_model(model); });
  for (const std::string& word : choice.variants) {
    if (std::ranges::find(variants, word) == variants.end())
      throw UserError({.key = "--variants"}, fmt::format("unknown variant \"{}\"", word),
                      suggest(word, variants));
  }
  of_flag("--nodes", choice.nodes, [](int nodes) { model::published_networks(nodes); });
  for (const int tables : choice.tables) Changes{}.set(Knob::tables, fmt::format("{}", tables));
  if (choice.seeds < 1) throw UserError({.key = "--seeds"}, "at least one seed is needed");
}

// Cells that differ only in network, all-reduce and seed: what is compared stands side by side.
void add_comparison(std::vector<Cell>& cells, const MatrixChoice& choice, Cell cell) {
  for (const auto& [network, network_name] : kNetworks) {
    if (!chosen(choice.networks, network)) continue;
    for (const AlgorithmKind all_reduce : all_reduces(choice, network)) {
      cell.network = network;
      cell.all_reduce = all_reduce;
      if (!is_runnable(cell)) continue;
      for (cell.seed = 1; cell.seed <= choice.seeds; ++cell.seed) cells.push_back(cell);
    }
  }
}

}  // namespace

std::string_view name(StudyNetwork network) { return name_in(kNetworks, network); }
std::string_view name(StudyBackend backend) { return name_in(kBackends, backend); }
std::string_view all_reduce_name(AlgorithmKind all_reduce) { return name_in(kAllReduces, all_reduce); }
StudyNetwork parse_network(std::string_view word) { return parse(word, kNetworks, "network"); }
StudyBackend parse_backend(std::string_view word) { return parse(word, kBackends, "backend"); }
AlgorithmKind parse_all_reduce(std::string_view word) { return parse(word, kAllReduces, "all-reduce"); }

std::string short_name(std::string_view variant) {
  for (const auto& [full, abbreviated] : kShortNames)
    if (variant == full) return abbreviated;
  return std::string(variant);
}

std::string long_name(std::string_view variant) {
  for (const auto& [full, abbreviated] : kShortNames)
    if (variant == abbreviated) return full;
  return std::string(variant);
}

std::string name(const Cell& cell) {
  std::string text =
      fmt::format("{}.{}.{}.{}.{}.{}.{}.{}", cell.model, cell.variant, cell.nodes, name(cell.network),
                  all_reduce_name(cell.all_reduce), name(cell.backend), cell.setting.name(), cell.seed);
  return cell.changes.empty() ? text : text + '.' + cell.changes.text();
}

Cell parse_cell(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() < kFixedParts) {
    throw UserError(fmt::format("\"{}\" is not a cell", text),
                    "a cell looks like A.baseline.16.fat-tree.ring.packet.sound.1");
  }
  Cell cell{.model = parts[0],
            .variant = long_name(parts[1]),
            .nodes = whole_number(parts[2], "number of nodes"),
            .network = parse_network(parts[3]),
            .all_reduce = parse_all_reduce(parts[4]),
            .backend = parse_backend(parts[5]),
            .setting = Setting::parse(parts[6]),
            .seed = whole_number(parts[7], "seed")};
  for (std::size_t i = kFixedParts; i < parts.size(); ++i) cell.changes.add(parts[i]);
  require_runnable(cell);
  return cell;
}

model::PublishedVariant variant_of(const Cell& cell) {
  model::published_model(cell.model);
  std::vector<std::string> known;
  for (const model::PublishedVariant& each : model::published_variants()) {
    if (each.model != cell.model) continue;
    known.push_back(each.variant);
    if (each.variant != cell.variant) continue;
    model::PublishedVariant variant = each;
    variant.batch = cell.changes.value_or(Knob::batch, variant.batch);
    variant.columns = cell.changes.value_or(Knob::feature_size, variant.columns);
    return variant;
  }
  throw UserError(fmt::format("model {} has no variant \"{}\"", cell.model, cell.variant),
                  suggest(cell.variant, known));
}

int tables_of(const Cell& cell) {
  return static_cast<int>(
      cell.changes.value_or(Knob::tables, std::int64_t{model::published_model(cell.model).tables}));
}

void require_runnable(const Cell& cell) {
  variant_of(cell);
  model::published_networks(cell.nodes);
  if (const auto refused = refusal(cell)) throw UserError(refused->what, refused->hint);
}

bool is_runnable(const Cell& cell) { return !refusal(cell); }

std::vector<Cell> matrix(const MatrixChoice& asked) {
  MatrixChoice choice = asked;
  for (std::string& variant : choice.variants) variant = long_name(variant);
  require_known(choice);
  const std::vector<int> tables = choice.tables.empty() ? std::vector{0} : choice.tables;
  std::vector<Cell> cells;
  for (const model::PublishedVariant& variant : model::published_variants()) {
    if (!chosen(choice.models, variant.model) || !chosen(choice.variants, variant.variant)) continue;
    for (const int nodes : model::published_nodes()) {
      if (!chosen(choice.nodes, nodes)) continue;
      for (const int count : tables) {
        Cell cell{.model = variant.model,
                  .variant = variant.variant,
                  .nodes = nodes,
                  .backend = choice.backend,
                  .setting = choice.setting};
        if (count > 0) cell.changes.set(Knob::tables, count);
        add_comparison(cells, choice, cell);
      }
    }
  }
  if (cells.empty()) {
    throw UserError("no cell of the matrix is left",
                    "embdim_40 and embdim_93 are model A's; the flow backend has topoopt on 16 nodes only");
  }
  return cells;
}

}  // namespace overture::study::opera_dlrm
