// Mistakes in workload.dlrm and workload.cache, and in machine files: one line each, with the whole message.
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"
#include "overture/setup/machine_file.h"
#include "overture/setup/setup.h"
#include "overture/setup/testing.h"

namespace overture::setup {
namespace {

const std::string kDlrm = R"(passes: 3
network: {dimensions: [{kind: switch, size: 4, bandwidth: 100 Gbps}]}
workload:
  dlrm:
    dense_features: 13
    bottom: {widths: [32, 16]}
    top: {widths: [32, 1]}
    tables: {count: 26, rows: 1000, columns: 16}
    batch: 64
)";
const std::string kCache = "  cache: {lookahead: 4, servers: 2, data: {synthetic: kaggle, scale: 0.00001}}\n";

void parse_dlrm(const std::vector<std::string>& changes) {
  std::vector<std::string> keys;
  for (const std::string& change : changes)
    keys.push_back(change.rfind("network", 0) == 0 ? change : "workload.dlrm." + change);
  parse_setup(kDlrm, "a.yaml", keys);
}

TEST(DlrmMessages, OfItsLayers) {
  const std::string in = "a.yaml: workload.dlrm";
  expect_messages(
      {{{"top=~"},
        "a.yaml:5: workload.dlrm.top: is missing\n  write top: {widths: [512, 1]} or {depth: 3, width: 512}"},
       {{"bottom=~"},
        "a.yaml:5: workload.dlrm.bottom: is missing, and there are dense features\n  write bottom: {widths: "
        "[512, 64]}"},
       {{"dense_features=0"}, in + ".dense_features: is missing, or 0"},
       {{"top.depth=2"}, in + ".top: has both widths and a depth\n  keep one of the two"},
       {{"top={depth: -1, width: 8}"}, in + ".top.depth: must be from 1 to 10000"},
       {{"top={depth: 10001, width: 8}"}, in + ".top.depth: must be from 1 to 10000"},
       {{"top={depth: 2}"}, in + ".top: 0 outputs of a layer; at least 1"},
       {{"bottom={widths: [0]}"}, in + ".bottom: 0 outputs of a layer; at least 1"},
       {{"bottom={widths: [32, 8]}"},
        in +
            ": a dot interaction needs vectors of one length; tables have 16 columns, the bottom MLP ends in "
            "8\n  let the last width of the bottom MLP be the columns of a table, or write interaction: cat"},
       {{"tables={list: [{rows: 9, columns: 16}, {rows: 9, columns: 8}]}"},
        in + ": a dot interaction needs vectors of one length; table 0 has 16 columns, table 1 has 8\n  give "
             "all "
             "tables as many columns, or write interaction: cat"}},
      parse_dlrm);
}

TEST(DlrmMessages, OfItsTables) {
  const std::string in = "a.yaml: workload.dlrm.tables";
  expect_messages({{{"tables=~"},
                    "a.yaml:5: workload.dlrm.tables: is missing\n  write tables: {count: 64, rows: 1000000, "
                    "columns: 64}"},
                   {{"tables.list=[{rows: 9, columns: 16}]"},
                    in + ": has more than one of count, list and file\n  keep one of them"},
                   {{"tables.count=-1"}, in + ".count: must be from 1 to 1000000"},
                   {{"tables.count=1000001"}, in + ".count: must be from 1 to 1000000"},
                   {{"tables.rows=~"}, "a.yaml:8: workload.dlrm.tables.rows: is missing, or 0"},
                   {{"tables.rows=2000000000000"}, in + ".rows: 2000000000000 is too large"},
                   {{"tables.columns=~"}, "a.yaml:8: workload.dlrm.tables.columns: is missing"},
                   {{"tables.columns=-1"}, in + ".columns: must be at least 1"},
                   {{"tables.pooling=0"}, in + ".pooling: must be at least 1"},
                   {{"tables={list: [{rows: 9, columns: 16}, {rows: 0, columns: 16}]}"},
                    in + ".list.1.rows: is missing, or 0"}},
                  parse_dlrm);
}

TEST(DlrmMessages, OfHowItIsSpread) {
  const std::string in = "a.yaml: workload.dlrm";
  expect_messages(
      {{{"batch=~"}, "a.yaml:5: workload.dlrm.batch: is missing, or 0"},
       {{"batch=2"},
        in + ": a batch of 2 is too small for 4 ranks of 1 GPU\n  take a larger batch or a smaller network"},
       {{"batch=4", "gpus_per_node=2"},
        in + ": a batch of 4 is too small for 4 ranks of 2 GPUs\n  take a larger batch or a smaller network"},
       {{"gpus_per_node=0"}, in + ".gpus_per_node: must be from 1 to 1024"},
       {{"gpus_per_node=1025"}, in + ".gpus_per_node: must be from 1 to 1024"},
       {{"between_gpus=0 Gbps"}, in + ".between_gpus: is more than zero"},
       {{"table_backward=-1"}, in + ".table_backward: must be from 0 to 1000 forward passes"},
       {{"sharding=row_wise", "place=[0]"}, in + ".place: needs sharding: table_wise"},
       {{"place=[0, 1]"}, in + ": 2 places for 26 tables\n  name the rank of every table"},
       {{"tables.count=2", "place=[0, 4]"}, in + ": table 1 is on rank 4, but ranks are 0 to 3"},
       {{"tables.count=2", "plan=[{count: 2}]", "place=[0, 1]"},
        in + ".plan: cannot be combined with place; keep one of them"},
       {{"tables.count=2", "plan=[{count: 3, ranks: [0]}]"},
        in + ".plan.0.count: places more than the 2 tables, or none"},
       {{"tables.count=2", "plan=[{count: 0, ranks: [0]}]"},
        in + ".plan.0.count: places more than the 2 tables, or none"},
       {{"tables.count=2", "plan=[{count: 1, ranks: [0]}]"},
        in + ": 1 places for 2 tables\n  give every table a place"},
       {{"tables.count=2", "plan=[{count: 2, ranks: [0, 1]}]"},
        in + ": table 0 has 2 nodes\n  table_wise names one node, column_wise one for each share, the others "
             "none"},
       {{"tables.count=2", "plan=[{count: 2, ranks: [9]}]"},
        in + ": table 0 is on node 9, but nodes are 0 to 3"},
       {{"compute=table:nowhere.csv"}, in + ": nowhere.csv: cannot be read: No such file or directory"},
       {{"compute=roofline:60 TFLOPS"},
        in + ".gather: is missing; compute gives no rate for reading tables\n  write gather: 900 GB/s"}},
      parse_dlrm);
}

TEST(DlrmMessages, OfItsFileOfTables) {
  const TestFolder folder;
  std::string yaml = kDlrm;
  const std::string tables = "{count: 26, rows: 1000, columns: 16}";
  yaml.replace(yaml.find(tables), tables.size(), "{file: t.csv}");
  const std::string file = folder.write("a.yaml", yaml).string();
  const std::string csv = (folder / "t.csv").string();
  const auto with = [&](const std::string& text) {
    folder.write("t.csv", text);
    return user_error([&] { load_setup(file); });
  };
  EXPECT_EQ(with("rows,columns,pooling\n1000,16,1\n20,16,3\n"), "");
  EXPECT_EQ(with("rows,columns,pooling\n"), csv + ": has no tables");
  EXPECT_EQ(with("rows,columns\n1,2\n"), csv + ":1: the first line is rows,columns,pooling");
  EXPECT_EQ(with("rows,columns,pooling\n1,2\n"), csv + ":2: a line has three numbers");
  EXPECT_EQ(with("rows,columns,pooling\n1000,16,1\n0,16,1\n"),
            csv + ":3: rows: 0 is out of range\n  from 1 to 1099511627776");
  EXPECT_EQ(with("rows,columns,pooling\n1000,2000000,1\n"),
            csv + ":2: columns: 2000000 is out of range\n  from 1 to 1048576");
}

TEST(CacheMessages, SayWhatWouldWork) {
  const auto parse = [](const std::vector<std::string>& changes) {
    parse_setup(kDlrm + kCache, "a.yaml", changes);
  };
  const std::string in = "a.yaml: workload.cache.";
  expect_messages(
      {{{"workload.cache.lookahead=0"}, in + "lookahead: must be from 1 to 100000"},
       {{"workload.cache.lookahead=100001"}, in + "lookahead: must be from 1 to 100000"},
       {{"workload.cache.servers=-1"}, in + "servers: is 0 or more"},
       {{"workload.cache.warm_up=-1"}, in + "warm_up: is 0 or more"},
       {{"workload.cache.warm_up=1000000000"},
        in + "warm_up: with lookahead and passes, is at most 1000000000 batches"},
       {{"workload.cache.servers=5"},
        in + "servers: 5 servers are too many for 4 trainers\n  use fewer servers"},
       {{"workload.cache.apart=true", "workload.cache.servers=0"},
        in + "servers: apart, there is at least one"},
       {{"workload.cache.apart=true", "workload.cache.servers=3"},
        in +
            "servers: 3 servers and an oracle leave none of 4 ranks to train\n  take fewer servers, a larger "
            "network, or apart: false"},
       {{"workload.cache.data=~"},
        "a.yaml:10: workload.cache.data: no data is given\n  give data.file, or data.synthetic such as "
        "kaggle"},
       {{"workload.cache.data.file=a.tsv"},
        in + "data: has more than one of file and synthetic\n  give data.file, or data.synthetic such as "
             "kaggle"},
       {{"workload.dlrm.tables.count=25"},
        "a.yaml:10: workload.cache.data: has 26 tables, the model has 25\n  describe the tables of the data: "
        "tables: {list: ...} "
        "or "
        "{file: ...}"},
       {{"workload.dlrm.precision.rows=fp16"},
        "a.yaml: workload.dlrm.precision.rows: the trainer's rows are fp32\n  with a cache, leave it out"},
       {{"workload.dlrm.dense=sharded"},
        "a.yaml: workload.dlrm.dense: with a cache, dense layers are data-parallel\n  write dense: "
        "data_parallel"},
       {{"workload.cache.messages=some"},
        in + "messages: unknown value \"some\"\n  known: auto, exact, even"},
       {{"passes=0"}, "a.yaml: passes: is less than 1"}},
      parse);
}

TEST(CacheMessages, OfATraceThatIsTooShort) {
  const TestFolder folder;
  const std::string file =
      folder.write("a.yaml", kDlrm + "  cache: {lookahead: 4, trace: t.json}\n").string();
  folder.write("t.json", R"({"lookahead": 4, "prefetch_depth": 4, "cleanup_interval": 1, "trainers": 4,)"
                         R"( "table_rows": [9], "batches": []})");
  const std::string error = user_error([&] { load_setup(file); });
  EXPECT_NE(error, "");
}

TEST(MachineMessages, SayWhatWouldWork) {
  const std::string head = "version: 1\nmachine: {processor: a, cores: 1}\n";
  const auto error = [&](const std::string& text) {
    return user_error([&] { parse_machine(text, "m.yaml"); });
  };
  EXPECT_EQ(error(head), "");
  EXPECT_EQ(error("version: 2\nmachine: {processor: a, cores: 1}\n"),
            "m.yaml:1: version: is 2; this program reads version 1\n  calibrate the machine again");
  EXPECT_EQ(error("machine: {processor: a, cores: 1}\n"),
            "m.yaml:1: version: is missing\n  Version of this format");
  EXPECT_EQ(error("version: 1\nmachine: {processor: a}\n"),
            "m.yaml:2: machine.cores: is missing\n  That it has");
  EXPECT_EQ(error("version: 1\nmachine: {processor: a, cores: 0}\n"),
            "m.yaml: machine.cores: must be from 1 to 100000");
  EXPECT_EQ(error("version: 1\nmachine: {processor: a, cores: 1, threads: 0}\n"),
            "m.yaml: machine.threads: must be at least 1");
  EXPECT_EQ(error(head + "shapes: [{work: forward, inputs: 0, outputs: 4}]\n"),
            "m.yaml: shapes.0: inputs and outputs are at least 1, times are not negative");
  EXPECT_EQ(
      error(head + "shapes: [{inputs: 1, outputs: 4}]\n").rfind("m.yaml:3: shapes.0.work: is missing", 0),
      0u);
  EXPECT_EQ(error(head + "work: {late_take_updates: {}}\n")
                .rfind("m.yaml:3: work.late_take_updates: unknown key", 0),
            0u)
      << "late rounds cost what urgent ones cost";
}

}  // namespace
}  // namespace overture::setup
