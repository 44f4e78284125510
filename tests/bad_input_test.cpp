// What the program says to input that cannot be run: one message that names the place, exit code 2, no crash.
#include "astra_case.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

enum class File { network, system, workload };

std::string file_name(File file) {
  return file == File::network ? "network.json" : file == File::system ? "system.txt" : "workload.txt";
}
std::string& text_of(AstraCase& setup, File file) {
  return file == File::network ? setup.network : file == File::system ? setup.system : setup.workload;
}
constexpr std::array kFiles{File::network, File::system, File::workload};

// One change to one file, and what the message has to say besides the file's name.
struct BadInput {
  std::string name;
  File file;
  std::string from;
  std::string to;
  std::vector<std::string> says;
};
void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefused) {
  const BadInput& bad = GetParam();
  AstraCase setup;
  std::string& text = text_of(setup, bad.file);
  text = changed(text, bad.from, bad.to);
  std::vector<std::string> says = bad.says;
  says.push_back(file_name(bad.file));
  expect_refused(setup.run(), says);
  EXPECT_FALSE(fs::exists(setup.results() / "EndToEnd.csv"));
}

const auto kNameOf = [](const auto& tested) { return tested.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Network, BadInputTest,
    ::testing::Values(
        BadInput{"UnknownKey",
                 File::network,
                 "hbm-scale",
                 "hbm-scales",
                 {"hbm-scales", "did you mean \"hbm-scale\"?"}},
        BadInput{"MissingKey",
                 File::network,
                 "\"dimension-type\": [\"N\", \"P\"],",
                 "",
                 {"dimension-type", "missing"}},
        BadInput{"NotAnObject", File::network, "{", "[1, 2] //", {}},
        BadInput{
            "MissingComma", File::network, "\"dimensions-count\": 2,", "\"dimensions-count\": 2", {":6"}},
        BadInput{"NumberBeyondDouble", File::network, "[1, 2]", "[1e999, 2]", {}},
        BadInput{"NumberAsWord", File::network, "[4, 3]", "[\"4\", 3]", {"units-count"}},
        BadInput{"ListAsNumber", File::network, "[4, 3]", "12", {"units-count"}},
        BadInput{"NullEntry", File::network, "[32, 16]", "[32, null]", {"link-bandwidth"}},
        BadInput{"NestedList", File::network, "[32, 16]", "[[32], 16]", {"link-bandwidth"}},
        BadInput{"UnknownTopologyName", File::network, "Hierarchical", "Torus", {"topology-name", "Torus"}},
        BadInput{"UnknownTopology", File::network, "Switch", "Swich", {"topologies-per-dim", "\"Switch\""}},
        BadInput{"UnknownType", File::network, "\"P\"", "\"Q\"", {"dimension-type", "\"Q\""}},
        BadInput{"NoDimensions",
                 File::network,
                 "\"dimensions-count\": 2",
                 "\"dimensions-count\": 0",
                 {"dimensions-count"}},
        BadInput{"TooManyDimensions",
                 File::network,
                 "\"dimensions-count\": 2",
                 "\"dimensions-count\": 11",
                 {"dimensions-count"}},
        BadInput{"WrongNumberOfDimensions",
                 File::network,
                 "\"dimensions-count\": 2",
                 "\"dimensions-count\": 3",
                 {"2 entries", "3 dimensions"}},
        BadInput{"ShortList", File::network, "[4, 3]", "[4]", {"units-count", "1 entries", "2 dimensions"}},
        BadInput{"LongList", File::network, "[0, 5]", "[0, 5, 5]", {"nic-latency", "3 entries"}},
        BadInput{"ZeroUnits", File::network, "[4, 3]", "[0, 3]", {"dimension 0"}},
        BadInput{"NegativeUnits", File::network, "[4, 3]", "[4, -3]", {"dimension 1"}},
        BadInput{"HalfAUnit", File::network, "[4, 3]", "[4, 2.5]", {"units-count", "2.5"}},
        BadInput{"TooManyUnits", File::network, "[4, 3]", "[100000, 100000]", {"units-count"}},
        BadInput{"UnitsBeyondInt", File::network, "[4, 3]", "[4, 1e18]", {"units-count"}},
        BadInput{"ZeroLinks", File::network, "[2, 1]", "[2, 0]", {"dimension 1", "links"}},
        BadInput{"NegativeLinks", File::network, "[2, 1]", "[-2, 1]", {"dimension 0", "links"}},
        BadInput{"OneLinkOnARing", File::network, "[2, 1]", "[1, 1]", {"dimension 0", "links"}},
        BadInput{"ZeroBandwidth", File::network, "[32, 16]", "[32, 0]", {"dimension 1", "bandwidth"}},
        BadInput{"NegativeBandwidth", File::network, "[32, 16]", "[-32, 16]", {"dimension 0", "bandwidth"}},
        BadInput{"NegativeLatency", File::network, "[1, 2]", "[1, -2]", {"dimension 1", "latency"}},
        BadInput{"NegativeNicLatency", File::network, "[0, 5]", "[0, -5]", {"dimension 1", "NIC"}},
        BadInput{"NegativeRouterLatency", File::network, "[0, 7]", "[0, -7]", {"dimension 1", "router"}},
        BadInput{"NegativeMemoryScale",
                 File::network,
                 "\"hbm-scale\": [0, 0]",
                 "\"hbm-scale\": [0, -1]",
                 {"dimension 1"}},
        BadInput{"PodToPodRing", File::network, "\"N\"", "\"PP\"", {"dimension 0", "PP"}}),
    kNameOf);

INSTANTIATE_TEST_SUITE_P(
    System, BadInputTest,
    ::testing::Values(
        BadInput{
            "UnknownKey", File::system, "endpoint-delay:", "endpoint-delays:", {":2", "\"endpoint-delay\""}},
        BadInput{"KeyWithoutColon", File::system, "endpoint-delay:", "endpoint-delay", {":2"}},
        BadInput{"ValueMissing", File::system, "localBWAware", "", {":9", "collective-optimization"}},
        BadInput{"KeyMissing", File::system, "scheduling-policy: LIFO", "", {"scheduling-policy", "missing"}},
        BadInput{
            "SplitsMissing", File::system, "preferred-dataset-splits: 4", "", {"preferred-dataset-splits"}},
        BadInput{"AlgorithmsMissing",
                 File::system,
                 "all-to-all-implementation: ring_direct",
                 "",
                 {"all-to-all-implementation"}},
        BadInput{"UnknownPolicy", File::system, "LIFO", "LILO", {":1", "scheduling-policy", "\"LIFO\""}},
        BadInput{
            "UnknownOptimization", File::system, "localBWAware", "local", {":9", "collective-optimization"}},
        BadInput{"DelayIsAWord",
                 File::system,
                 "endpoint-delay: 10",
                 "endpoint-delay: ten",
                 {":2", "endpoint-delay"}},
        BadInput{"DelayWithTail", File::system, "endpoint-delay: 10", "endpoint-delay: 10ns", {":2", "10ns"}},
        BadInput{"NegativeDelay",
                 File::system,
                 "endpoint-delay: 10",
                 "endpoint-delay: -1",
                 {":2", "endpoint-delay"}},
        BadInput{"ZeroActiveChunks", File::system, "dimension: 1", "dimension: 0", {":3", "active-chunks"}},
        BadInput{"ZeroSplits", File::system, "splits: 4", "splits: 0", {":4", "preferred-dataset-splits"}},
        BadInput{
            "NegativeSplits", File::system, "splits: 4", "splits: -4", {":4", "preferred-dataset-splits"}},
        BadInput{"HalfASplit", File::system, "splits: 4", "splits: 4.5", {":4", "preferred-dataset-splits"}},
        BadInput{
            "InfiniteSplits", File::system, "splits: 4", "splits: inf", {":4", "preferred-dataset-splits"}},
        BadInput{"TooFewAlgorithms",
                 File::system,
                 "all-reduce-implementation: ring_direct",
                 "all-reduce-implementation: ring",
                 {":5", "all-reduce-implementation", "1 algorithm", "2 dimensions"}},
        BadInput{"TooManyAlgorithms",
                 File::system,
                 "all-gather-implementation: ring_direct",
                 "all-gather-implementation: ring_ring_ring",
                 {":7", "all-gather-implementation", "3 algorithms"}},
        BadInput{"EmptyAlgorithm", File::system, "ring_direct", "ring_", {":5", "all-reduce-implementation"}},
        BadInput{
            "UnknownAlgorithm", File::system, "ring_direct", "rung_direct", {":5", "\"rung\"", "\"ring\""}},
        BadInput{"ZeroWindow", File::system, "ring_direct", "ring_direct0", {":5", "direct0"}},
        BadInput{
            "HugeWindow", File::system, "ring_direct", "ring_direct99999999999", {":5", "direct99999999999"}},
        BadInput{"FlatAmongOthers", File::system, "ring_direct", "ring_oneDirect", {":5", "oneDirect"}},
        BadInput{"HalvingDoublingOfThree",
                 File::system,
                 "ring_direct",
                 "ring_halvingDoubling",
                 {"halving_doubling", "power of two", "dimension 1", "3"}},
        BadInput{"DoubleBinaryTreeOfThree",
                 File::system,
                 "ring_direct",
                 "ring_doubleBinaryTree",
                 {"double_binary_tree", "power of two", "dimension 1", "3"}},
        BadInput{"FlatHalvingDoublingOfTwelve",
                 File::system,
                 "ring_direct",
                 "oneHalvingDoubling",
                 {"halving_doubling", "power of two", "12"}},
        BadInput{"HalvingDoublingForAllToAll",
                 File::system,
                 "all-to-all-implementation: ring_direct",
                 "all-to-all-implementation: halvingDoubling_direct",
                 {":8", "halvingDoubling", "all-to-all"}},
        BadInput{"TreeForAllToAll",
                 File::system,
                 "all-to-all-implementation: ring_direct",
                 "all-to-all-implementation: doubleBinaryTree_direct",
                 {":8", "doubleBinaryTree", "all-to-all"}},
        BadInput{
            "BusWithoutL", File::system, "endpoint-delay: 10", "model-shared-bus: 1 o: 1 g: 1 G: 0.1", {"L"}},
        BadInput{"BusWithNegativeG",
                 File::system,
                 "endpoint-delay: 10",
                 "model-shared-bus: 1 L: 1 o: 1 g: 1 G: -1",
                 {":2", "G"}}),
    kNameOf);

INSTANTIATE_TEST_SUITE_P(
    Workload, BadInputTest,
    ::testing::Values(
        BadInput{"UnknownKeyword", File::workload, "DATA", "DATE", {":1", "\"DATE\"", "\"DATA\""}},
        BadInput{"LayersIsAWord", File::workload, "2\n", "two\n", {":2", "number of layers"}},
        BadInput{"ZeroLayers", File::workload, "2\n", "0\n", {":2", "number of layers"}},
        BadInput{"NegativeLayers", File::workload, "2\n", "-2\n", {":2", "number of layers"}},
        BadInput{"TooManyLayers", File::workload, "2\n", "3\n", {":5", "cut short"}},
        BadInput{"FarTooManyLayers", File::workload, "2\n", "9007199254740992\n", {":5", "cut short"}},
        BadInput{"TooFewLayers", File::workload, "2\n", "1\n", {":4", "text after the last"}},
        BadInput{"UnknownCommunication", File::workload, "ALLREDUCE", "ALLREDUSE", {":3", "\"ALLREDUCE\""}},
        BadInput{"CommunicationThatCannotRun", File::workload, "ALLREDUCE", "ALLREDUCEALLTOALL", {":3"}},
        BadInput{"NegativeCompute", File::workload, "-1 200", "-1 -200", {":4", "forward"}},
        BadInput{"NegativeSize", File::workload, "8192", "-8192", {":4", "weight gradient"}},
        BadInput{"NegativeUpdate", File::workload, "4096 10", "4096 -10", {":3", "update"}},
        BadInput{"ZeroSize", File::workload, "ALLREDUCE 4096", "ALLREDUCE 0", {":3", "NONE"}},
        BadInput{"FractionOfAByte", File::workload, "4096", "4096.5", {":3", "4096.5"}},
        BadInput{"SizeBeyondInt64", File::workload, "4096", "99999999999999999999", {":3"}},
        BadInput{"ComputeBeyondInt64", File::workload, "-1 200", "-1 9223372036854775807", {":4"}},
        BadInput{"ColumnTooMany", File::workload, "4096 10", "4096 10 10", {":3", "first"}},
        BadInput{"NoBottomLayer", File::workload, "DATA", "HYBRID_DLRM", {}},
        BadInput{"BottomLayerThatIsNone", File::workload, "DATA", "HYBRID_DLRM 2", {"2"}},
        BadInput{"BottomLayerBeyondInt", File::workload, "DATA", "HYBRID_DLRM 4294967295", {"4294967295"}},
        BadInput{
            "GroupLargerThanMachine", File::workload, "DATA", "HYBRID_TRANSFORMER group: 13", {"13", "12"}},
        BadInput{"GroupThatDoesNotDivide", File::workload, "DATA", "HYBRID_TRANSFORMER group: 3", {"3"}},
        BadInput{"GroupOfNone", File::workload, "DATA", "HYBRID_TRANSFORMER group: 0", {":1"}},
        BadInput{"CheckpointThatIsNone",
                 File::workload,
                 "DATA",
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD group: 4 kept: 1 5 starts: 1 1",
                 {"5"}},
        BadInput{"CheckpointBeyondInt",
                 File::workload,
                 "DATA",
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD group: 4 kept: 1 4294967295 starts: 1 1",
                 {"4294967295"}},
        BadInput{"NothingToRecomputeFrom",
                 File::workload,
                 "DATA",
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD group: 4 kept: 0 starts: 1 1",
                 {"1"}},
        BadInput{"NoParallelismOfItsOwn", File::workload, "DATA", "HYBRID_CUSTOMIZED", {":4", "first"}},
        BadInput{"DlrmLayerOfItsOwn",
                 File::workload,
                 "DATA\n2\nfirst -1 100 NONE 0 100 NONE 0 100 ALLREDUCE 4096 10",
                 "HYBRID_CUSTOMIZED\n2\nfirst -1 100 NONE 0 100 NONE 0 100 ALLREDUCE 4096 10 HYBRID_DLRM",
                 {":3", "HYBRID_DLRM"}}),
    kNameOf);

// What any of the three files can be.
class EachFile : public ::testing::TestWithParam<File> {
 protected:
  std::string& path() {
    return GetParam() == File::network  ? setup_.network_file
           : GetParam() == File::system ? setup_.system_file
                                        : setup_.workload_file;
  }

  std::string name_ = file_name(GetParam());
  AstraCase setup_;
};

TEST_P(EachFile, Missing) {
  path() = "no/such.file";
  expect_refused(setup_.run(), {"no/such.file: cannot be read"});
}

TEST_P(EachFile, IsAFolder) {
  path() = ".";
  expect_refused(setup_.run(), {".: is a folder"});
}

TEST_P(EachFile, Empty) {
  text_of(setup_, GetParam()).clear();
  expect_refused(setup_.run(), {name_});
}

TEST_P(EachFile, OnlyBlanks) {
  text_of(setup_, GetParam()) = " \t\r\n \n";
  expect_refused(setup_.run(), {name_});
}

TEST_P(EachFile, Binary) {
  std::string& text = text_of(setup_, GetParam());
  text.clear();
  for (int i = 0; i < 4096; ++i) text += static_cast<char>(i * 37 + i / 256);
  expect_refused(setup_.run(), {name_});
}

TEST_P(EachFile, OneEndlessWord) {
  text_of(setup_, GetParam()) = std::string(4'000'000, 'x');
  expect_refused(setup_.run(), {name_});
}

INSTANTIATE_TEST_SUITE_P(Files, EachFile, ::testing::ValuesIn(kFiles), [](const auto& tested) {
  return file_name(tested.param).substr(0, file_name(tested.param).find('.'));
});

TEST(CutShort, NetworkAtEveryFewBytes) {
  AstraCase setup;
  const std::string whole = setup.network;
  const std::size_t end = whole.rfind('}');
  for (std::size_t length = 0; length <= end; length += 7) {
    setup.network = whole.substr(0, length);
    expect_refused(setup.run(), {"network.json"});
  }
}

TEST(CutShort, SystemAtEveryLine) {
  AstraCase setup;
  const std::string whole = setup.system;
  for (std::size_t end = whole.find('\n'); end + 1 < whole.size(); end = whole.find('\n', end + 1)) {
    setup.system = whole.substr(0, end);
    expect_refused(setup.run(), {"system.txt"});
  }
}

// With nothing cut it runs; with its last token missing it does not.
TEST(CutShort, DlrmWorkloadAtEveryToken) {
  AstraCase setup;
  const std::string blanks = " \t\r\n";
  const std::string whole =
      read_text(fs::path(OVERTURE_TESTS_FOLDER) / "golden/astra-sim-1/dlrm-torus3d-4x4x4/workload.txt");
  int cuts = 0;
  for (std::size_t start = whole.find_first_not_of(blanks); start != std::string::npos; ++cuts) {
    setup.workload = whole.substr(0, start);
    expect_refused(setup.run(), {"workload.txt:", "the file ends where"});
    start = whole.find_first_not_of(blanks, whole.find_first_of(blanks, start));
  }
  EXPECT_EQ(cuts, 3 + 8 * 12);
  setup.workload = whole;
  EXPECT_EQ(setup.run().exit_code, 0);
}

}  // namespace
}  // namespace overture::testing
