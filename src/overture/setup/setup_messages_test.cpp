// Mistakes in setups of simulate and flows: one line each, with the whole message. What a message says is
// where (file, key), what is wrong, and what would work.
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"
#include "overture/setup/setup.h"
#include "overture/setup/testing.h"

namespace overture::setup {
namespace {

const std::string kRun = R"(network:
  dimensions:
    - {kind: ring, size: 4, links: 2, bandwidth: 32 GiB/s}
    - {kind: switch, size: 3, bandwidth: 100 Gbps}
workload:
  parallelism: data
  layers:
    - name: mlp
      forward: {compute: 300 ns}
      weight_gradient: {communication: {collective: all_reduce, size: 1 MiB}}
    - {name: top, forward: {compute: 1 us}}
)";

void parse_run(const std::vector<std::string>& changes) { parse_setup(kRun, "a.yaml", changes); }

TEST(SetupMessages, OfWhatARunDoes) {
  expect_messages(
      {{{"passes=0"}, "a.yaml: passes: 0 is less than 1"},
       {{"passes=many"}, "a.yaml: passes: \"many\" is not a whole number"},
       {{"passes=[1, 2]"}, "a.yaml: passes: must be a single value"},
       {{"network=5"}, "a.yaml: network: must be a map"},
       {{"workload.layers=5"}, "a.yaml: workload.layers: must be a list"},
       {{"workload.layers=[5]"}, "a.yaml: workload.layers.0: must be a map"},
       {{"system.all_reduce={ring: 1}"}, "a.yaml: system.all_reduce: must be a list of words"},
       {{"system.all_reduce=[[ring]]"}, "a.yaml: system.all_reduce: must be a list of words"},
       {{"system.chunks=0"}, "a.yaml: system.chunks: 0 is less than 1"},
       {{"system.all_to_all_chunks=-1"},
        "a.yaml: system.all_to_all_chunks: -1 is negative\n  write 0 for as many as system.chunks"},
       {{"system.active_chunks=0"}, "a.yaml: system.active_chunks: 0 is less than 1"},
       {{"system.queues_per_dimension=0"}, "a.yaml: system.queues_per_dimension: 0 is less than 1"},
       {{"system.cycle=0 ns"}, "a.yaml: system.cycle: must be above zero"},
       {{"system.cycle=1001 ps"}, "a.yaml: system.cycle: 1001 ps is more than 1 ns\n  1 ns is ASTRA-sim's"},
       {{"system.endpoint_delay=-1 ns"}, "a.yaml: system.endpoint_delay: \"-1 ns\" is negative"},
       {{"system.rendezvous=yes"}, "a.yaml: system.rendezvous: \"yes\" is neither true nor false"},
       {{"system.scheduling=filo"},
        "a.yaml: system.scheduling: unknown value \"filo\"\n  did you mean \"fifo\"? known: lifo, fifo"},
       {{"system.all_reduce=[flat_ring, ring]"},
        "a.yaml: system.all_reduce: \"flat_ring\" spans all dimensions, so it must be the only one"}},
      parse_run);
}

TEST(SetupMessages, OfScales) {
  const std::string hint = " is not above 0 and at most 1e6\n  1 leaves everything as it is";
  expect_messages({{{"workload.compute_scale=0"}, "a.yaml: workload.compute_scale: 0" + hint},
                   {{"workload.compute_scale=2e6"}, "a.yaml: workload.compute_scale: 2000000" + hint},
                   {{"workload.communication_scale=-1"}, "a.yaml: workload.communication_scale: -1" + hint},
                   {{"system.injection_scale=0"}, "a.yaml: system.injection_scale: 0" + hint},
                   {{"workload.communication_scale=1e-7"},
                    "a.yaml: workload.communication_scale: makes a collective of layer mlp smaller than one "
                    "byte\n  use a larger scale"}},
                  parse_run);
}

TEST(SetupMessages, OfDimensions) {
  const std::string first = "a.yaml: network.dimensions.0: ";
  const auto ring = [](const std::string& more) {
    return std::vector<std::string>{"network.dimensions=[{kind: ring, bandwidth: 1 GB/s, " + more + "}]"};
  };
  expect_messages(
      {{ring("size: 0"), first + "has 0 units\n  a dimension has at least one unit"},
       {ring("size: 4, links: 1"),
        first + "1 links per NPU leave none usable\n  a ring needs two, one to either side"},
       {ring("size: 4, links: 2, memory_scale: -1"), first + "memory scale must not be negative"},
       {ring("size: 4, links: 2, packaging: pod_to_pod"),
        first + "dimension type PP (pod to pod) allows only Switch"},
       {{"network.dimensions.0.bandwidth=0 Gbps"}, first + "link bandwidth must be above zero"},
       {{"network.dimensions.1.kind=fully_connected"},
        "a.yaml: network.dimensions.1: 1 links per NPU leave none usable\n  a full mesh needs one to each of "
        "the other units"},
       {{"network.dimensions.0.kind=round"},
        "a.yaml: network.dimensions.0.kind: unknown value \"round\"\n  known: ring, fully_connected, switch"},
       {{"network.dimensions.0.latency=5"},
        "a.yaml: network.dimensions.0.latency: \"5\" has no unit; write for example \"1.5 us\" (units: ps, "
        "ns, us, ms, s)"},
       {{"network.dimensions.0.size=70000", "network.dimensions.1.size=70000"},
        "a.yaml: network.dimensions: make more than 2^31 NPUs"},
       {{"network.nodes={gpus_per_node: 4}"},
        "a.yaml: network.nodes: need a topology of links\n  a dimension of the GPUs of a node says the same"},
       {{"network.oversubscription=2"},
        "a.yaml: network.oversubscription: only a leaf_spine or fat_tree can be oversubscribed"}},
      parse_run);
  std::string eleven;
  for (int i = 0; i < 11; ++i) eleven += "{kind: switch, size: 1, bandwidth: 1 Gbps}, ";
  expect_messages(
      {{{"network.dimensions=[" + eleven + "]"}, "a.yaml: network.dimensions: has more than 10 dimensions"}},
      parse_run);
}

TEST(SetupMessages, OfWorkloads) {
  const std::string in = "a.yaml: workload: ";
  expect_messages(
      {{{"workload=~"},
        in + "has no layers\n  say what is trained: layers, file, tasks, chakra, dlrm or recording"},
       {{"workload=~", "traffic.pattern=ring"},
        in + "is missing; this is a setup for `overture flows`\n  run overture flows a.yaml, or say what is "
             "trained: layers, file, tasks, chakra, dlrm or recording"},
       {{"workload.file=a.txt"},
        in + "has more than one of file, tasks, chakra, dlrm, recording and layers\n  keep one of them"},
       {{"workload.cache={lookahead: 2}"},
        "a.yaml: workload.cache: there is no DLRM whose rows it holds\n  write workload: {dlrm: ...}"},
       {{"workload.parallelism=hybrid_dlrm", "workload.last_bottom_layer=2"},
        in + "last bottom layer 2 does not exist\n  layers are 0 to 1"},
       {{"workload.checkpoints=[0, 5]"}, in + "checkpoint layer 5 does not exist\n  layers are 0 to 1"},
       {{"workload.recompute_starts=[-1]"}, in + "recomputing layer -1 does not exist\n  layers are 0 to 1"},
       {{"workload.checkpoints=[1]", "workload.recompute_starts=[1]"},
        in + "layer 1 is a checkpoint and has nothing to recompute"},
       {{"workload.recompute_starts=[1]"}, in + "layer 1 recomputes, but there is no checkpoint before it"},
       {{"workload.layers.0.weight_gradient.communication.size=0 B"},
        in + "layer mlp communicates 0 bytes\n  leave out what carries nothing"},
       {{"workload.parallelism=hybrid_customized", "workload.layers.0.parallelism=data",
         "workload.layers.1.parallelism=dlrm"},
        in + "layer top cannot be DLRM\n  a layer is DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA"}},
      parse_run);
}

TEST(SetupMessages, OfWhatStandsInPlaceOfLayers) {
  const std::string network = "network: {dimensions: [{kind: switch, size: 4, bandwidth: 1 Gbps}]}\n";
  const std::string beside = "\n  files are sought beside the setup";
  const auto parse = [&](const std::vector<std::string>& changes) {
    parse_setup(network + "passes: 2\n", "a.yaml", changes);
  };
  expect_messages(
      {{{"workload.chakra=traces"},
        "a.yaml:2: passes: a trace is run once\n  leave passes out, or trace more iterations"},
       {{"workload.recording=rec"},
        "a.yaml:2: passes: passes has no effect on a training\n  set workload.training.steps"},
       {{"workload.tasks=/dev/null", "workload.between_gpus=0 Gbps"},
        "a.yaml: workload.between_gpus: is more than zero"},
       {{"passes=1", "workload.training={}"},
        "a.yaml: workload.training.setup: is missing\n  name the setup of `overture train`, or write "
        "workload: {recording: DIR}"},
       {{"passes=1", "workload.training={steps: -1}"}, "a.yaml: workload.training.steps: is negative"},
       {{"passes=1", "workload.training={first: -1}"}, "a.yaml: workload.training.first: is negative"},
       {{"passes=1", "workload.training={cores: -1}"}, "a.yaml: workload.training.cores: is negative"},
       {{"workload.compute_scale=2",
         "workload.dlrm={top: {widths: [1]}, tables: {count: 4, rows: 9, columns: 8}, batch: 8}"},
        "a.yaml: workload: compute_scale and communication_scale apply to files and layers, not to a dlrm\n  "
        "change the dlrm itself"},
       {{"workload.tasks=step.tg"}, "a.yaml: workload.tasks: there is no file \"step.tg\"" + beside},
       {{"workload.file=nowhere.txt"}, "a.yaml: workload.file: there is no file \"nowhere.txt\"" + beside}},
      parse);
}

TEST(SetupMessages, OfFaults) {
  const std::string in = "a.yaml: faults.";
  const std::string one = "\n  the share is drawn by the seed";
  const auto node = [](const std::string& keys) {
    return std::vector<std::string>{"faults.nodes=[{" + keys + "}]"};
  };
  const auto link = [](const std::string& keys) {
    return std::vector<std::string>{"faults.links=[{" + keys + "}]"};
  };
  expect_messages(
      {{node("slowdown: 2"), in + "nodes.0: needs either `node` or a `share` above 0" + one},
       {node("node: 1, share: 0.5, slowdown: 2"),
        in + "nodes.0: needs either `node` or a `share` above 0" + one},
       {node("share: 1.5, slowdown: 2"), in + "nodes.0.share: 1.5 is not from 0 to 1"},
       {node("node: 1, chance: 2, slowdown: 2"), in + "nodes.0.chance: 2 is not from 0 to 1"},
       {node("node: 1, slowdown: 0.5"),
        in + "nodes.0.slowdown: 0.5 is not from 1 to 1e6\n  2 means that computing takes twice as long"},
       {node("node: 1, spread: 4"), in + "nodes.0.spread: 4 is not from 0 to 3"},
       {node("node: 1"), in + "nodes.0: changes nothing\n  give a slowdown, a spread, or dies: true"},
       {node("node: 1, slowdown: 2, from: 2 s, until: 2 s"),
        in + "nodes.0.until: is not after `from`\n  leave it out for a permanent fault"},
       {link("loss: 0.1"), in + "links.0: needs either `between` or a `share` above 0" + one},
       {link("between: s0-s1, loss: 1"), in + "links.0.loss: 1 is not at least 0 and below 1\n  for a link "
                                              "that loses everything, leave `loss` out"},
       {link("share: 0.1, bit_errors: -1"), in + "links.0.bit_errors: -1 is not at least 0 and below 1\n  "
                                                 "for a link that loses everything, leave `loss` out"},
       {{"faults.switches=[{}]"}, in + "switches.0: needs either `switch` or a `share` above 0" + one},
       {link("share: 0.5"),
        in + "links: analytical has no links that could fail\n  use network.backend: packet or flow, or "
             "rotor for topology.opera; slower nodes work on every backend"}},
      parse_run);
}

TEST(SetupMessages, OfNodesThatAreSlowAreNoneOnAnyBackend) {
  EXPECT_EQ(user_error([] { parse_run({"faults.nodes=[{node: 1, slowdown: 2}]"}); }), "");
  EXPECT_EQ(user_error([] {
              parse_run({"network.backend=packet", "faults.nodes=[{node: 1, dies: true}]"});
            }),
            "");
}

TEST(SetupMessages, OfTraffic) {
  const auto traffic = [](const std::vector<std::string>& changes) {
    const auto setup =
        parse_setup("network: {topology: {star: {hosts: 4}}}\ntraffic: {pattern: all_to_all}\n", "a.yaml",
                    changes, Needs::network);
    make_traffic(setup, 4);
  };
  expect_messages(
      {{{"traffic.group=3"}, "a.yaml: traffic.group: 3 does not divide 4 hosts"},
       {{"traffic.group=-1"}, "a.yaml: traffic.group: -1 does not divide 4 hosts"},
       {{"traffic.pattern=incast", "traffic.senders=4"}, "a.yaml: traffic.senders: 4 senders with 4 hosts"},
       {{"traffic.pattern=incast", "traffic.senders=-1"}, "a.yaml: traffic.senders: -1 senders with 4 hosts"},
       {{"traffic.pattern=ringg"},
        "a.yaml: traffic.pattern: unknown pattern \"ringg\"\n  did you mean \"ring\"? known: all_to_all, "
        "permutation, incast, ring"},
       {{"traffic=~"},
        "a.yaml: traffic.pattern: is missing\n  name a pattern, or a list of flows with --flows"},
       {{"traffic.order=sorted"},
        "a.yaml: traffic.order: unknown value \"sorted\"\n  known: rotated, naive"}},
      traffic);
}

TEST(SetupMessages, OfTheWrongCommand) {
  const auto wrong = [](const std::string& yaml) { return user_error([&] { parse_setup(yaml, "x.yaml"); }); };
  EXPECT_EQ(wrong("setup: a.yaml\naxes: []\n"),
            "x.yaml: is a setup for `overture sweep`\n  run overture sweep x.yaml");
  EXPECT_EQ(wrong("setup: a.yaml\nnetworks: []\n"),
            "x.yaml: is a setup for `overture codesign`\n  run overture codesign x.yaml");
  EXPECT_EQ(wrong("data: {synthetic: kaggle}\n"),
            "x.yaml: is a setup for `overture train`\n  run overture train x.yaml");
  const std::string of_run = user_error([] { parse_setup(kRun, "a.yaml", {}, Needs::network); });
  EXPECT_EQ(of_run, "");
}

TEST(SetupMessages, OfASimulationThatIsGivenToFlows) {
  const auto setup = parse_setup(kRun, "a.yaml");
  EXPECT_EQ(user_error([&] { make_traffic(setup, 12); }),
            "a.yaml: traffic: is missing; this is a setup for `overture simulate`\n  run overture simulate "
            "a.yaml, or name a pattern, or a list of flows with --flows");
}

// Also where what is wrong shows only when the parts are put together. What the command line says is on no
// line.
TEST(SetupMessages, NameTheLineOfTheKey) {
  const std::string text =
      "passes: 1\n"
      "network:\n"
      "  dimensions:\n"
      "    - {kind: ring, size: 4, links: 2, bandwidth: 1 Gbps}\n"
      "    - {kind: ring, size: 4, links: 1, bandwidth: 1 Gbps}\n"
      "system: {chunks: 0}\n";
  const auto said = [&](const std::vector<std::string>& changes) {
    const std::string all = user_error([&] { parse_setup(text, "a.yaml", changes); });
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(said({}), "a.yaml:5: network.dimensions.1: 1 links per NPU leave none usable");
  EXPECT_EQ(said({"network.dimensions.1.links=0"}),
            "a.yaml: network.dimensions.1: 0 links per NPU leave none usable");
  EXPECT_EQ(said({"network.dimensions.1.links=2"}), "a.yaml:6: system.chunks: 0 is less than 1");
  EXPECT_EQ(said({"network.dimensions.1.links=2", "system.chunks=-1"}),
            "a.yaml: system.chunks: -1 is less than 1");
  EXPECT_EQ(said({"network.dimensions.1.links=2", "system.chunks=1"}), "a.yaml: workload: has no layers");
}

TEST(SetupMessages, ANoteTellsWhatTheTransportDoesNotLookAt) {
  const auto note = [](const std::string& network) {
    return parse_setup("network: {topology: {star: {}}, " + network + "}\n", "a.yaml", {}, Needs::network)
        .simulation.tasks_note;
  };
  EXPECT_EQ(note("transport: roce, tcp: {min_rto: 2 ms}, lossless: {buffer: 1 MiB}"),
            "network.tcp has no effect with transport: roce");
  EXPECT_EQ(
      note("lossless: {control: credits}, ndp: {payload: 1 KiB}"),
      "network.ndp has no effect with transport: tcp; network.lossless has no effect with transport: tcp");
  EXPECT_EQ(note("queue: {port_limit: 1 MiB}, tcp: {min_rto: 2 ms}"), "");
  EXPECT_EQ(note("backend: flow, tcp: {min_rto: 2 ms}, transport: ndp"), "");
}

TEST(SetupMessages, OfCollectivesFromAFile) {
  const TestFolder folder;
  const std::string file = folder.write("a.yaml", kRun).string();
  const auto with_steps = [&](const std::string& csv) {
    folder.write("mine.csv", csv);
    return user_error([&] {
      load_setup(file, {"network.dimensions=[{kind: switch, size: 2, bandwidth: 1 Gbps}]",
                        "system.all_reduce=[\"file:mine.csv\"]"});
    });
  };
  const std::string head = "step,from,to,chunk,action\n";
  const std::string csv = (folder / "mine.csv").string();
  EXPECT_EQ(with_steps(head + "0,0,1,0,reduce\n1,1,0,0,copy\n"), "");
  EXPECT_EQ(with_steps(""), csv + ": is empty\n  the first line is step,from,to,chunk,action");
  EXPECT_EQ(with_steps("a\n"), csv + ":1: the first line must be step,from,to,chunk,action");
  EXPECT_EQ(with_steps(head + "0,0,1,0\n"), csv + ":2: has 4 columns, not 5\n  step,from,to,chunk,action");
  EXPECT_EQ(with_steps(head + "0,0,1,x,copy\n"), csv + ":2: chunk: \"x\" is not a whole number");
  EXPECT_EQ(with_steps(head + "-1,0,1,0,copy\n"), csv + ":2: step: -1 is out of range\n  from 0 to 1000000");
  EXPECT_EQ(with_steps(head + "0,0,1,0,cpy\n"),
            csv + ":2: action: unknown action \"cpy\"\n  did you mean \"copy\"? known: reduce, copy");
}

}  // namespace
}  // namespace overture::setup
