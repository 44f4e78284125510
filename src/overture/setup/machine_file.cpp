#include "overture/setup/machine_file.h"

#include <fmt/format.h>

#include "overture/base/files.h"

namespace overture::setup {
namespace {

using model::Machine;
using model::ShapeCost;
using model::WorkCost;

constexpr int kMachineVersion = 1;

struct MachineKeys {
  int version = kMachineVersion;
  Machine machine;
};

template <class V>
void describe(V& v, WorkCost& cost, Work work) {
  v.field("each", cost.each, "Time of one piece, whatever its size");
  const auto names = model::quantity_names(work);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) v.field(names[i], cost.per_million[i], fmt::format("For a million {}", names[i]));
  }
  v.field("spread", cost.spread, "Median distance of a measured piece from this cost, as a share of it");
  v.field("pieces", cost.pieces, "That were measured");
}

template <class V>
void describe(V& v, ShapeCost& shape) {
  v.required("work", shape.work, "Which of a linear layer's products");
  v.required("inputs", shape.inputs, "Inputs of the layer");
  v.required("outputs", shape.outputs, "Outputs of the layer");
  v.field("each", shape.each, "Whatever the batch");
  v.field("samples", shape.per_million_samples, "For a million samples");
}

template <class V>
void describe(V& v, MachineKeys& keys) {
  Machine& m = keys.machine;
  v.from("ours");
  v.required("version", keys.version, "Version of this format");
  v.group("machine", "Which one it is", [&](auto& group) {
    group.required("processor", m.name.processor, "Its name");
    group.required("cores", m.name.cores, "That it has");
    group.field("host", m.name.host, "Its name in the network");
    group.field("threads", m.threads, "Threads of a trainer, when it was measured");
    group.field("made_by", m.made_by, "Version of the program that measured it");
  });
  v.group("message", "Between two processes of the machine", [&](auto& group) {
    group.field("latency", m.message, "From a send to the receiver's work, beside the time of the bytes");
    group.field("bandwidth", m.wire, "At which the bytes go where no link is slower; 0: at once");
    group.field("cpu", m.message_cpu, "Time of sender and receiver each, outside their own threads");
    group.field("bytes", m.message_cpu_per_million, "The same for a million bytes");
    group.field(
        "interrupts", m.message_interrupts_per_million,
        "Computing time of interrupts for a million bytes, at either end, on links that hold bytes back");
  });
  v.group("work", "What pieces of training cost", [&](auto& group) {
    for (const WorkKind& kind : work_kinds()) {
      if (priced_as(kind.work) != kind.work) continue;
      group.optional_group(kind.name, m.costs[static_cast<std::size_t>(kind.work)], kind.help,
                           [&](auto& inner, WorkCost& cost) { describe(inner, cost, kind.work); });
    }
  });
  v.list("shapes", m.shapes, "Linear layers of shapes that were measured themselves",
         [](auto& item, ShapeCost& shape) { describe(item, shape); });
}

void require_sound(const Machine& machine, const std::string& file) {
  const auto require = [&](bool holds, const std::string& key, const std::string& what) {
    if (!holds) throw UserError({.file = file, .key = key}, what);
  };
  require(machine.name.cores >= 1 && machine.name.cores <= 100'000, "machine.cores",
          "must be from 1 to 100000");
  require(machine.threads >= 1, "machine.threads", "must be at least 1");
  const auto sound = [](Duration time) { return time >= Duration{}; };
  for (const WorkKind& kind : work_kinds()) {
    const auto& cost = machine.costs[static_cast<std::size_t>(kind.work)];
    if (!cost) continue;
    bool all = sound(cost->each);
    for (const Duration time : cost->per_million) all = all && sound(time);
    require(all, fmt::format("work.{}", kind.name), "has a negative time");
  }
  for (std::size_t i = 0; i < machine.shapes.size(); ++i) {
    const ShapeCost& shape = machine.shapes[i];
    require(sound(shape.each) && sound(shape.per_million_samples) && shape.inputs >= 1 && shape.outputs >= 1,
            fmt::format("shapes.{}", i), "inputs and outputs are at least 1, times are not negative");
  }
  const auto carrying = {std::pair("latency", machine.message), std::pair("cpu", machine.message_cpu),
                         std::pair("bytes", machine.message_cpu_per_million),
                         std::pair("interrupts", machine.message_interrupts_per_million)};
  for (const auto& [key, time] : carrying)
    require(sound(time), fmt::format("message.{}", key), "is negative");
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file) {
  const Value root = parse_yaml(text, file);
  MachineKeys keys;
  Reader reader(&root, file, "");
  if (const Value* version = root.find("version");
      version != nullptr && version->text != write(kMachineVersion)) {
    throw UserError({.file = file, .line = version->line, .key = "version"},
                    fmt::format("is {}; this program reads version {}", version->text, kMachineVersion),
                    "calibrate the machine again");
  }
  describe(reader, keys);
  reader.finish();
  require_sound(keys.machine, file);
  return keys.machine;
}

Machine read_machine(const std::filesystem::path& file) {
  return parse_machine(read_file(file), file.string());
}

std::string write_machine(const Machine& machine) {
  MachineKeys keys{.machine = machine};
  return "# What `overture calibrate` measured. `each`: for one piece; the other times: for a million of "
         "what they are\n"
         "# named after. docs/reference/machine.md describes the keys.\n" +
         to_yaml(Writer::without_defaults(keys, [](Writer& w, MachineKeys& k) { describe(w, k); }));
}

std::string of_another_machine(const Machine& machine) {
  const MachineName here = this_machine();
  if (machine.name.alike(here)) return {};
  return fmt::format("the calibration is of another machine ({}; this is {})", machine.name.text(),
                     here.text());
}

}  // namespace overture::setup
