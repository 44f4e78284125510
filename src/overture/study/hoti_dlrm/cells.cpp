#include "overture/study/hoti_dlrm/cells.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::study::hoti {
namespace {

namespace fs = std::filesystem;
using Keys = std::vector<std::string>;

constexpr std::int64_t kSamplesPerGpu = 512;
const std::vector<std::string> kNoAxes{"none"};

// One layer of 2048 x 2048 in 16 bits, and the pooled rows of 512 samples.
const char* const kOneAllReduce =
    "workload={parallelism: micro, layers: [{name: MLP_Top_1, weight_gradient: "
    "{communication: {collective: all_reduce, size: 8 MiB}}}]}";
const char* const kOneAllToAll =
    "workload={parallelism: micro, layers: [{name: Embedding, weight_gradient: "
    "{communication: {collective: all_to_all, size: 4 MiB}}}]}";

// Another number of GPUs than the published one; every GPU keeps its samples.
Keys scaled(const Keys& keys, int gpus) {
  if (gpus == kPublishedGpus) return keys;
  Keys all = keys;
  const auto replaces = [&](const char* key) {
    return std::ranges::any_of(keys, [&](const std::string& k) { return k.starts_with(key); });
  };
  if (replaces("network={")) return all;
  int hosts = gpus;
  for (const int nics : {1, 2, 4}) {
    if (replaces(fmt::format("network.nodes.nics_per_node={}", nics).c_str())) hosts = gpus / 8 * nics;
  }
  std::erase_if(all, [](const std::string& k) { return k.starts_with("network.topology.star.hosts="); });
  all.push_back(fmt::format("network.topology.star.hosts={}", hosts));
  if (!replaces("workload=")) all.push_back(fmt::format("workload.dlrm.batch={}", kSamplesPerGpu * gpus));
  return all;
}

Keys with(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

Cell single(const std::string& group, const std::string& value, const char* workload, const Keys& keys,
            int gpus) {
  const SystemSetup& flat = system_named("Flat100G");
  return {.group = group,
          .system = flat.name,
          .value = value,
          .keys = scaled(with({workload, "passes=1"}, keys), gpus)};
}

// An empty list chooses all.
bool chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

void add_systems(const Choice& choice, bool flow, std::vector<Cell>& cells) {
  for (const SystemSetup& system : systems()) {
    if (!chosen(choice.systems, system.name)) continue;
    const Keys backend = flow ? Keys{"network.backend=flow"} : Keys{};
    cells.push_back({.group = flow ? "flow" : "systems",
                     .system = system.name,
                     .value = flow ? "fluid" : "default",
                     .keys = scaled(backend, choice.gpus)});
  }
}

void add_axis(const Choice& choice, const Axis& axis, std::vector<Cell>& cells) {
  for (const SystemSetup& system : systems()) {
    if (!chosen(choice.systems, system.name) || !concerns(axis, system)) continue;
    for (const AxisValue& value : axis.values) {
      if (keys_of(value, system).empty() || becomes_another(value, system)) continue;
      const Keys backend = choice.backend == "flow" ? Keys{"network.backend=flow"} : Keys{};
      cells.push_back({.group = axis.name,
                       .system = system.name,
                       .value = value.label,
                       .keys = scaled(with(backend, keys_of(value, system)), choice.gpus)});
    }
  }
}

// Lower case, digits and dashes.
std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!plain && !out.empty() && out.back() != '-') out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

// Cells of the same system and keys share a folder: the default value of every axis is one run.
fs::path folder_of(const Cell& cell, const SystemSetup& system, const fs::path& root) {
  const fs::path numbered = point_folder(root, 0, "simulate", std::string(system.text), cell.keys);
  const std::string digest = numbered.filename().string().substr(5);
  return root / fmt::format("{}-{}", slug(name(cell)), digest);
}

}  // namespace

std::string name(const Cell& cell) { return fmt::format("{}, {}: {}", cell.system, cell.group, cell.value); }

std::vector<Cell> single_all_to_alls(int gpus) {
  const Keys quick{"system.endpoint_delay=0 ns", "network.queue={}"};
  const Keys naive = with(quick, {"system.all_to_all=naive_direct"});
  const auto port = [](const char* size) { return fmt::format("network.queue={{port_limit: {}}}", size); };
  const auto cell = [&](const char* value, const Keys& keys) {
    return single("all-to-all", value, kOneAllToAll, keys, gpus);
  };
  return {cell("flat100-rotated", quick),
          cell("flat100-rotated-jumbo", with(quick, {"network.tcp.segment=8960 B"})),
          cell("flat800-rotated", with(quick, {"network.topology.star.wire.rate=800 Gbps"})),
          cell("flat100-rotated-64MB", with(quick, {port("512 KiB")})),
          cell("flat100-naive-1GB", with(naive, {port("8 MiB")})),
          cell("flat100-naive-64MB-rto1ms", with(naive, {port("512 KiB")})),
          cell("flat800-rotated-window40",
               with(quick, {"network.topology.star.wire.rate=800 Gbps", "network.tcp.initial_window=40"})),
          cell("flat100-naive-64MB-rto10ms", with(naive, {port("512 KiB"), "network.tcp.min_rto=10 ms"}))};
}

std::vector<Cell> single_all_reduces(int gpus) {
  const auto cell = [&](const char* value, const Keys& keys) {
    return single("all-reduce", value, kOneAllReduce, keys, gpus);
  };
  const Keys direct{"system.all_reduce=direct", "system.chunks=1"};
  // ASTRA-sim's analytical network: messages never meet.
  const std::string formula = fmt::format(
      "network={{contention: none, dimensions: [{{kind: switch, size: {}, links: 1, bandwidth: 12.5 GB/s, "
      "latency: 500 ns}}]}}",
      gpus);
  const Keys naive{"system.all_reduce=naive_direct", "system.chunks=1", "network.queue.port_limit=512 KiB"};
  return {cell("DBT", {}),
          cell("DBT, injection 1 us", {"system.endpoint_delay=1 us"}),
          cell("DBT, injection 10 us", {"system.endpoint_delay=10 us"}),
          cell("DBT, injection 100 us", {"system.endpoint_delay=100 us"}),
          cell("DBT, window 0.1 MB", {"network.tcp.receive_window=104858 B"}),
          cell("DBT, buffer 64 MB", {"network.queue.port_limit=512 KiB"}),
          cell("DBT, 32 chunks", {"system.chunks=32"}),
          cell("DBT, 4 at a time", {"system.active_chunks=4"}),
          cell("A2A, 1 chunk", direct),
          cell("A2A, 32 chunks", {"system.all_reduce=direct", "system.chunks=32"}),
          cell("A2A, 32 chunks, injection 100 us",
               {"system.all_reduce=direct", "system.chunks=32", "system.endpoint_delay=100 us"}),
          cell("A2A naive, buffer 1 GB", {"system.all_reduce=naive_direct", "system.chunks=1"}),
          cell("A2A naive, buffer 64 MB, RTO 1 ms", naive),
          cell("A2A naive, buffer 64 MB, RTO 10 ms", with(naive, {"network.tcp.min_rto=10 ms"})),
          cell("A2A naive, buffer 64 MB, RTO 200 ms", with(naive, {"network.tcp.min_rto=200 ms"})),
          cell("DBT, closed form", {formula}),
          cell("A2A, 1 chunk, closed form", with(direct, {formula})),
          cell("DBT, fluid", {"network.backend=flow"}),
          cell("A2A, 1 chunk, fluid", with(direct, {"network.backend=flow"}))};
}

std::vector<Cell> cells_of(const Choice& choice) {
  for (const std::string& system : choice.systems) system_named(system);
  if (choice.gpus < 16 || choice.gpus % 8 != 0 || (choice.gpus & (choice.gpus - 1)) != 0)
    throw UserError({.key = "--gpus"},
                    fmt::format("{} GPUs do not make nodes of 8 and binary trees", choice.gpus),
                    "take a power of two from 16 on");
  if (choice.backend != "packet" && choice.backend != "flow")
    throw UserError({.key = "--backend"}, fmt::format("unknown backend \"{}\"", choice.backend),
                    "packet or flow");
  std::vector<Cell> cells;
  if (chosen(choice.systems, "Flat100G") && choice.backend == "packet") {
    std::ranges::move(single_all_to_alls(choice.gpus), std::back_inserter(cells));
    std::ranges::move(single_all_reduces(choice.gpus), std::back_inserter(cells));
  }
  if (choice.backend == "packet") add_systems(choice, false, cells);
  for (const std::string& axis : choice.axes) {
    if (axis == kNoAxes.front() && choice.axes != kNoAxes)
      throw UserError({.key = "--axes"}, "none stands alone", "leave it out, or the others");
    if (choice.axes != kNoAxes) axis_named(axis);
  }
  for (const Axis& axis : axes()) {
    if (choice.axes != kNoAxes && chosen(choice.axes, axis.name)) add_axis(choice, axis, cells);
  }
  add_systems(choice, true, cells);
  for (Cell& cell : cells) cell.keys.insert(cell.keys.begin(), choice.keys.begin(), choice.keys.end());
  // A mistake in these is one message now, not one for every cell.
  for (const Cell& cell : cells) {
    if (cell.group == "flow") parsed(system_named(cell.system), cell.keys);
  }
  return cells;
}

SweepJob cell_job(const std::vector<Cell>& cells, const fs::path& program, const std::string& version,
                  const fs::path& folder) {
  fs::create_directories(folder / "setups");
  for (const SystemSetup& system : systems()) write_file(folder / "setups" / system.file, system.text);
  SweepJob job{.program = program, .command = "simulate", .setup = {}, .points = {}, .notes_costs = true};
  for (const Cell& cell : cells) {
    const SystemSetup& system = system_named(cell.system);
    SweepPoint point{.overrides = cell.keys,
                     .folder = folder_of(cell, system, folder / "cells"),
                     .arguments = {(folder / "setups" / system.file).string(), "--no-report", "--no-why"},
                     .version = version};
    for (const std::string& key : cell.keys) point.arguments.insert(point.arguments.end(), {"-s", key});
    job.points.push_back(std::move(point));
  }
  return job;
}

std::string command_of(const Cell& cell) {
  std::string text = "overture simulate setups/" + system_named(cell.system).file;
  for (const std::string& key : cell.keys) text += fmt::format(" -s '{}'", key);
  return text;
}

Duration all_reduce_bound(Bytes size, int gpus, Bandwidth rate) {
  return transfer_time(size * 2 * (gpus - 1) / gpus, rate);
}

}  // namespace overture::study::hoti
