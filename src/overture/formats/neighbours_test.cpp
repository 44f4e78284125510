// Files of neighbouring tools: MSCCL's algorithms, nccl-tests' results, InfraGraph's networks.
#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/formats/infragraph.h"
#include "overture/formats/msccl.h"
#include "overture/formats/nccl_tests.h"
#include "overture/topology/graph_file.h"

namespace overture::formats {
namespace {

using system::CollectiveKind;

// An all-reduce of two GPUs, one chunk each: reduce at the right one, then copy back.
const std::string kPairXml =
    R"(<algo name="pair" nchunksperloop="2" nchannels="1" proto="Simple" ngpus="2" inplace="1" coll="allreduce">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>)";

TEST(Msccl, ThreadBlocksBecomeSteps) {
  const system::Steps steps = parse_msccl(CollectiveKind::all_reduce, kPairXml, "pair.xml");
  EXPECT_EQ(steps.ranks, 2);
  EXPECT_EQ(steps.chunks, 2);
  ASSERT_EQ(steps.transfers.size(), 4U);
  EXPECT_TRUE(steps.transfers[0].reduce);
  EXPECT_FALSE(steps.transfers[3].reduce);
  EXPECT_LT(steps.transfers[1].step, steps.transfers[2].step);
}

TEST(Msccl, ErrorsNameTheLineOrWhatIsWrong) {
  EXPECT_NE(
      user_error([] { parse_msccl(CollectiveKind::all_reduce, "<algo ngpus=\"2", "a.xml"); }).find("a.xml:1"),
      std::string::npos);
  std::string broken = kPairXml;
  broken.replace(broken.find("rrcs"), 4, "rcs ");
  EXPECT_FALSE(user_error([&] { parse_msccl(CollectiveKind::all_reduce, broken, "a.xml"); }).empty());
  EXPECT_NE(user_error([] { parse_msccl(CollectiveKind::all_reduce, kPairXml.substr(0, 900), "a.xml"); }),
            "");
  EXPECT_NE(
      user_error([] { parse_msccl(CollectiveKind::all_reduce, "hello", "a.xml"); }).find("is not an MSCCL"),
      std::string::npos);
}

std::string msccl_error(const std::string& text, CollectiveKind kind = CollectiveKind::all_reduce) {
  return user_error([&] { parse_msccl(kind, text, "a.xml"); });
}

TEST(Msccl, NumbersBeyondTheAlgorithmAreRefusedWithTheirLine) {
  std::string many = kPairXml;
  many.replace(many.find("ngpus=\"2\""), 9, "ngpus=\"65536\"");
  EXPECT_EQ(msccl_error(many, CollectiveKind::all_to_all), "a.xml:1: more than 30000 GPUs");
  std::string count = kPairXml;
  count.replace(count.find("type=\"rrcs\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\""), 58,
                "type=\"rrcs\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1000000\"");
  EXPECT_NE(msccl_error(count).find("a.xml:5: there is no chunk 2"), std::string::npos) << msccl_error(count);
}

TEST(Msccl, CommentsMayBeManyAndHoldTags) {
  std::string comments;
  for (int i = 0; i < 100'000; ++i) comments += "<!-- <tb -->";
  EXPECT_EQ(parse_msccl(CollectiveKind::all_reduce, comments + kPairXml, "pair.xml").transfers.size(), 4U);
}

TEST(NcclTests, TheTableAndTheJsonSayTheSame) {
  const std::string table =
      "# nThread 1 nGpus 8\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw "
      "  busbw #wrong\n"
      "     1048576        262144     float     sum      -1    42.50   24.67   43.18      0    42.10   24.91 "
      "  43.59      0\n"
      "    33554432       8388608     float     sum      -1    180.1   186.3   326.1      0    181.0   185.4 "
      "  324.4      0\n"
      "# Avg bus bandwidth    : 100\n";
  const std::string json =
      R"({"version": 1, "results": [{"size": 1048576, "count": 262144, "out_of_place": {"time": 42.5, "alg_bw": 24.67, "bus_bw": 43.18}},
          {"size": 33554432, "out_of_place": {"time": 180.1, "bus_bw": 326.1}}]})";
  const auto from_table = parse_nccl_tests(table, "log");
  const auto from_json = parse_nccl_tests(json, "json");
  ASSERT_EQ(from_table.size(), 2U);
  ASSERT_EQ(from_json.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(from_table[i].size, from_json[i].size);
    EXPECT_DOUBLE_EQ(from_table[i].time_us, from_json[i].time_us);
    EXPECT_DOUBLE_EQ(from_table[i].bus_gb_per_s, from_json[i].bus_gb_per_s);
  }
  EXPECT_NE(user_error([] { parse_nccl_tests("nothing here", "log"); }).find("no results"),
            std::string::npos);
}

const std::string kInfra = R"(name: two
devices:
- name: server
  components:
  - {choice: npu, count: 2, name: npu}
  - {choice: nic, count: 2, name: nic}
  links:
  - name: pcie
  edges:
  - {ep1: {component: npu}, ep2: {component: nic}, link: pcie, scheme: one2one}
- name: sw
  components:
  - {choice: switch, count: 1, name: asic}
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: sw, count: 1}
links:
- name: up
  physical:
    bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}
    latency: {choice: us, us: 1}
edges:
- {ep1: {instance: host, component: "nic[0:2]"}, ep2: {instance: "leaf[0]", component: asic}, link: up, scheme: many2many}
)";

TEST(InfraGraph, NpusBecomeHosts) {
  const std::string text = infragraph_to_graph(kInfra, "two.yaml");
  const topology::Topology topology = topology::parse_graph(text, "two.txt");
  EXPECT_EQ(topology.graph.hosts(), 4);
  EXPECT_EQ(topology.graph.nodes(), 4 + 4 + 1);
  EXPECT_EQ(topology.graph.links().size(), 2U * (4 + 4));
}

TEST(InfraGraph, AGraphComesBack) {
  const topology::Topology before = topology::parse_graph(infragraph_to_graph(kInfra, "two.yaml"), "two.txt");
  const std::string again = infragraph_to_graph(graph_to_infragraph(before.graph, "again"), "again.yaml");
  const topology::Topology after = topology::parse_graph(again, "again.txt");
  EXPECT_EQ(after.graph.hosts(), before.graph.hosts());
  ASSERT_EQ(after.graph.links().size(), before.graph.links().size());
  for (std::size_t i = 0; i < after.graph.links().size(); ++i) {
    EXPECT_EQ(after.graph.links()[i].wire.rate, before.graph.links()[i].wire.rate);
    EXPECT_EQ(after.graph.links()[i].wire.delay, before.graph.links()[i].wire.delay);
  }
}

TEST(InfraGraph, ErrorsNameTheLine) {
  std::string broken = kInfra;
  broken.replace(broken.find("component: asic}, link"), 15, "component: nic_}");
  EXPECT_NE(user_error([&] { infragraph_to_graph(broken, "two.yaml"); }).find("two.yaml"), std::string::npos);
  EXPECT_NE(user_error([] { infragraph_to_graph("a: 1", "x.yaml"); }).find("is not an InfraGraph"),
            std::string::npos);
}

std::string infra_error(const std::string& before, const std::string& after) {
  std::string changed = kInfra;
  changed.replace(changed.find(before), before.size(), after);
  return user_error([&] { infragraph_to_graph(changed, "two.yaml"); });
}

TEST(InfraGraph, NumbersBeyondSenseAreRefused) {
  for (const char* count : {"-1", "2000000000", "1e300", ".nan", "many"})
    EXPECT_NE(infra_error("device: server, count: 2", std::string("device: server, count: ") + count), "")
        << count;
  EXPECT_EQ(infra_error("nic[0:2]", "nic[1]"), "");
  for (const char* some :
       {"nic[0:2000000000]", "nic[-1]", "nic[2]", "nic[0:-2147483648]", "nic[x]", "nic[99999999999]"})
    EXPECT_NE(infra_error("nic[0:2]", some).find("is not a selection of 2"), std::string::npos) << some;
  EXPECT_NE(infra_error("us: 1}", "us: 1e300}").find("latencies are"), std::string::npos);
  EXPECT_NE(infra_error("us: 1}", "us: -1}").find("latencies are"), std::string::npos);
}

TEST(InfraGraph, AWordWhereAMapBelongsIsTold) {
  EXPECT_NE(
      infra_error("bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}", "bandwidth: fast"),
      "");
  EXPECT_NE(user_error([] { infragraph_to_graph("devices: []\ninstances: []\nedges: [x]\n", "x.yaml"); }),
            "");
  EXPECT_NE(user_error([] { infragraph_to_graph("devices: []\ninstances: []\nlinks: [x]\n", "x.yaml"); }),
            "");
}

}  // namespace
}  // namespace overture::formats
