#include "overture/report/html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/report/page_compare.h"
#include "overture/report/page_table.h"
#include "overture/report/page_trace.h"
#include "overture/report/page_traffic.h"

namespace overture::report {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::path(testing::TempDir()) / name) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const { write_file(path_ / name, text); }

 private:
  fs::path path_;
};

// The other way of gzip_base64.
std::string opened(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6U | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(word >> static_cast<unsigned>(bits -= 8) & 255U);
  }
  std::string out(1 << 20, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(PageTable, KeepsNumbersAsTheyStandAndTextAsWords) {
  const json table = json::parse(pack_csv("from,bytes,note\nh0,1.50,\"a, \"\"b\"\"\"\r\nh0,-,x\nh1,3\n"));
  EXPECT_EQ(table["rows"], 3);
  EXPECT_EQ(table["columns"][0], json::parse(R"({"name":"from","words":["h0","h1"],"codes":[0,0,1]})"));
  EXPECT_EQ(table["columns"][1], json::parse(R"({"name":"bytes","numbers":[1.50,null,3]})"));
  EXPECT_EQ(table["columns"][2]["words"], json::parse(R"(["a, \"b\"","x",""])"));
}

TEST(PageTable, NumbersThatJsonWouldRefuseAreRewritten) {
  const json table = json::parse(pack_csv("a\n007\n.5\n1.\n-0.25\n1e3\nnan\n"));
  EXPECT_EQ(table["columns"][0]["numbers"], json::parse("[7,0.5,1,-0.25,1000,null]"));
}

TEST(PageTable, OfALongTableEveryNthRowIsKept) {
  std::string text = "row\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + "\n";
  const json table = json::parse(pack_csv(text, 30));
  EXPECT_EQ(table["rows"], 100);
  EXPECT_LE(table["columns"][0]["numbers"].size(), 30u);
  EXPECT_EQ(table["columns"][0]["numbers"][1], 4);
}

TEST(PageTable, JsonLinesBecomeColumnsWithGaps) {
  const json table = json::parse(pack_json_lines(
      "{\"step\":1,\"loss\":0.7}\n{\"step\":2,\"evaluation\":{\"auc\":0.6}}\n{\"step\":3,\"lo"));
  EXPECT_EQ(table["rows"], 2);
  const json expected = json::parse(R"([{"name":"step","numbers":[1,2]},{"name":"loss","numbers":[0.7,null]},
                                        {"name":"evaluation.auc","numbers":[null,0.6]}])");
  EXPECT_EQ(table["columns"], expected);
}

TEST(PageTable, ALineThatTellsMoreThanOthersIsNeverLeftOut) {
  std::string text;
  for (int step = 0; step < 100; ++step)
    text += "{\"step\":" + std::to_string(step) + (step == 53 ? ",\"auc\":0.75}\n" : "}\n");
  const json table = json::parse(pack_json_lines(text, 10));
  EXPECT_EQ(table["rows"], 100);
  ASSERT_EQ(table["columns"][0]["numbers"].size(), 11u);
  EXPECT_EQ(table["columns"][0]["numbers"][5], 53);
  EXPECT_EQ(table["columns"][1]["numbers"][5], 0.75);
}

TEST(PageTraffic, SumsFlowsPerPairAndKind) {
  const auto text = pack_traffic("src,dst,bytes,kind\n0,1,10,a\n0,1,5,a\n1,0,7,b\n");
  ASSERT_TRUE(text);
  EXPECT_EQ(json::parse(*text), json::parse(R"({"hosts":2,"group":1,"kinds":[
      {"name":"a","bytes":[0,15,0,0]},{"name":"b","bytes":[0,0,7,0]}]})"));
  EXPECT_FALSE(pack_traffic("layer,bytes\nx,1\n"));
}

TEST(PageTraffic, ManyHostsAreGroupedAndNoByteIsLost) {
  std::string text = "src,dst,bytes\n";
  for (int host = 0; host < 1000; ++host) text += std::to_string(host) + ",999,2\n";
  const json traffic = json::parse(pack_traffic(text).value());
  EXPECT_EQ(traffic["group"], 8);
  std::int64_t sum = 0;
  for (const auto& bytes : traffic["kinds"][0]["bytes"]) sum += bytes.get<std::int64_t>();
  EXPECT_EQ(sum, 2000);
}

constexpr const char* kTrace = R"({"traceEvents": [
{"ph":"M","pid":3,"tid":0,"ts":0,"name":"process_name","args":{"name":"rank 3"}},
{"ph":"M","pid":3,"tid":7,"ts":0,"name":"thread_name","args":{"name":"compute"}},
{"ph":"X","pid":3,"tid":7,"ts":2.000001,"dur":1.5,"name":"b","args":{"layer":"L","stream":7,"deep":{"x":1}}},
{"ph":"s","pid":3,"tid":7,"ts":2.000001,"id":9,"name":"flow"},
{"ph":"X","pid":3,"tid":7,"ts":1,"dur":0.5,"name":"a","args":{"layer":"K"}},
{"ph":"f","pid":3,"tid":7,"ts":1,"id":9,"name":"flow"},
{"ph":"C","pid":3,"tid":0,"ts":1,"name":"busy","args":{"value":1}},
{"ph":"C","pid":3,"tid":0,"ts":4,"name":"busy","args":{"value":0}}
], "overture_note": "cut"})";

TEST(PageTrace, PacksStreamsSlicesArrowsAndCounters) {
  const Folder folder("overture page trace");
  folder.write("trace.json", kTrace);
  const json trace = json::parse(pack_traces({folder.path() / "trace.json"}));
  EXPECT_EQ(trace["kept"], 2);
  const json& track = trace["tracks"][0];
  EXPECT_EQ(track["process"], "rank 3");
  EXPECT_EQ(track["thread"], "compute");
  EXPECT_EQ(track["start"], json::parse("[1000000,1000001]"));
  EXPECT_EQ(track["length"], json::parse("[500000,1500000]"));
  EXPECT_EQ(trace["names"][track["name"][0].get<std::size_t>()], "a");
  EXPECT_EQ(trace["arguments"], json::parse(R"([{"name":"layer","words":["L","K"],"codes":[1,0]}])"));
  EXPECT_EQ(trace["arrows"], json::parse(R"({"from":[1],"to":[0]})"));
  EXPECT_EQ(trace["counters"][0]["when"], json::parse("[1000000,3000000]"));
  EXPECT_EQ(trace["notes"][0], "cut");
}

TEST(PageTrace, KeepsTheLongestOfTooMany) {
  const Folder folder("overture page long trace");
  folder.write("trace.json", kTrace);
  const json trace = json::parse(pack_traces({folder.path() / "trace.json"}, 1));
  EXPECT_EQ(trace["slices"], 2);
  EXPECT_EQ(trace["kept"], 1);
  EXPECT_EQ(trace["tracks"][0]["length"], json::parse("[1500000]"));
  EXPECT_TRUE(trace["arrows"]["from"].empty());
}

TEST(PageTrace, WhatCannotBeDrawnIsLeftOut) {
  const Folder folder("overture page odd trace");
  folder.write("trace.json", R"([{"ph":"C","pid":0,"name":"mood","ts":1,"args":{"value":"high\"],"}},
    {"ph":"X","pid":0,"tid":1,"ts":1e300,"dur":-1e300,"name":"far"},{"ph":"X"},[{"ph":"X"}],7,{"ph":""}])");
  const json trace = json::parse(pack_traces({folder.path() / "trace.json"}));
  EXPECT_EQ(trace["kept"], 2);
  EXPECT_TRUE(trace["counters"].empty());
}

TEST(PageTrace, AFileCutShortIsShownAsFarAsItGoes) {
  const Folder folder("overture page cut trace");
  folder.write("trace.json", std::string(kTrace).substr(0, 420));
  const json trace = json::parse(pack_traces({folder.path() / "trace.json"}));
  EXPECT_EQ(trace["kept"], 1);
  EXPECT_EQ(trace["notes"][0], "trace.json is cut short");
}

TEST(Html, ThePageHoldsTheSummaryAndNeedsNothingElse) {
  const Folder folder("overture page");
  folder.write("summary.json", R"({"name": "</script> & co", "iteration_us": 12.25})");
  folder.write("layers.csv", "layer,compute_us\nx,1\n");
  write_html(folder.path());
  const std::string page = read_file(folder.path() / "report.html");
  const std::string before = R"(<script id="data" type="text/plain">)";
  const std::size_t start = page.find(before) + before.size();
  const json data = json::parse(opened(page.substr(start, page.find('<', start) - start)));
  EXPECT_EQ(data["runs"][0]["summary"]["iteration_us"], 12.25);
  EXPECT_EQ(data["runs"][0]["summary"]["name"], "</script> & co");
  EXPECT_EQ(data["runs"][0]["tables"]["layers.csv"]["rows"], 1);
  EXPECT_EQ(data["runs"][0]["folder"], "overture page");
  for (const char* request : {"<script src", "<link", "@import"}) {
    EXPECT_EQ(page.find(request), std::string::npos) << request;
  }
  // Browsers then refuse whatever else it might ask for.
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Html, TheSameFolderGivesTheSamePage) {
  const Folder folder("overture page twice");
  folder.write("summary.json", "{}");
  write_html(folder.path());
  const std::string first = read_file(folder.path() / "report.html");
  write_html(folder.path());
  EXPECT_EQ(read_file(folder.path() / "report.html"), first);
}

TEST(Html, FoldersWithNothingToShowAreRefused) {
  const Folder empty("overture page empty");
  EXPECT_THROW(write_html(empty.path()), UserError);
  EXPECT_THROW(write_html(empty.path() / "missing"), UserError);
  empty.write("summary.json", "[1, 2");
  EXPECT_THROW(write_html(empty.path()), UserError);
}

TEST(Compare, TellsValuesWithUnitsAndTheChangeAgainstTheFirst) {
  const Folder a("overture compare a");
  const Folder b("overture compare b");
  a.write("summary.json",
          R"({"npus": 64, "iteration_us": 100, "sent_bytes": 0, "only_here": 1, "setup_yaml": "x: 1"})");
  b.write("summary.json", R"({"npus": 64, "iteration_us": 125.5, "sent_bytes": 2048})");
  const Comparison comparison = compare_runs({a.path(), b.path()});
  ASSERT_EQ(comparison.numbers.size(), 3u);
  EXPECT_TRUE(comparison.numbers[0].same);
  EXPECT_EQ(comparison.numbers[1].what, "iteration");
  EXPECT_EQ(comparison.numbers[1].values, (std::vector<std::string>{"100.0 us", "125.5 us"}));
  EXPECT_EQ(comparison.numbers[1].changes, (std::vector<std::string>{"", "+25.5 %"}));
  EXPECT_EQ(comparison.numbers[2].values, (std::vector<std::string>{"0 B", "2.000 KiB"}));
  EXPECT_EQ(comparison.numbers[2].changes[1], "new");
  EXPECT_EQ(comparison.runs[0].label, "overture compare a");
  EXPECT_EQ(comparison.runs[0].setup_yaml, "x: 1");
}

TEST(Compare, FoldersOfOneNameAreToldApartByWhereTheyAre) {
  const Folder root("overture compare names");
  for (const char* name : {"old", "new"}) {
    fs::create_directories(root.path() / name / "torus");
    write_file(root.path() / name / "torus" / "summary.json", "{}");
  }
  const Comparison comparison = compare_runs({root.path() / "old" / "torus", root.path() / "new" / "torus/"});
  EXPECT_EQ(comparison.runs[0].label, "old/torus");
  EXPECT_EQ(comparison.runs[1].label, "new/torus");
  EXPECT_THROW(compare_runs({root.path()}), UserError);
}

}  // namespace
}  // namespace overture::report
