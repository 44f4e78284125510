#include "overture/formats/flow_list.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::formats {
namespace {

using namespace literals;

TEST(FlowList, ReadsCsvAndConnectionMatrices) {
  const auto csv = parse_flow_csv("src,dst,bytes,start_ns\n0,3,1000,50\n\n2,1,5,0\n", "f.csv");
  ASSERT_EQ(csv.size(), 2u);
  EXPECT_EQ(csv[0].to, Rank{3});
  EXPECT_EQ(csv[0].start, Time{50ns});
  const auto decimals = parse_flow_csv("src,dst,bytes,start_ns\n0,1,5,1.5\n0,1,5,2.001\n", "f.csv");
  EXPECT_EQ(decimals[0].start, Time{Duration{1'500}});
  EXPECT_EQ(decimals[1].start, Time{Duration{2'001}});
  const auto cm = parse_connection_matrix("Nodes 4\nConnections 1\n1->2 id 1 start 7000 size 2000\n", "f.cm");
  ASSERT_EQ(cm.size(), 1u);
  EXPECT_EQ(cm[0].from, Rank{1});
  EXPECT_EQ(cm[0].start, Time{7ns});
  EXPECT_EQ(cm[0].size, 2000_B);
}

TEST(FlowList, CompletionTimesKeepFractionsOfANanosecond) {
  const std::vector<network::FlowSpec> flows{
      {.from = Rank{0}, .to = Rank{1}, .size = Bytes{5}, .start = Time{Duration{1'500}}},
      {.from = Rank{1}, .to = Rank{0}, .size = Bytes{5}, .start = Time{Duration{2'000}}}};
  network::FlowsResult result;
  result.completion = {Duration{12'345}, std::nullopt};
  EXPECT_EQ(write_flow_csv(flows, result), "src,dst,bytes,start_ns,fct_ns\n0,1,5,1.500,12.345\n1,0,5,2,\n");
}

TEST(FlowList, ErrorsNameTheLine) {
  const auto csv = [](const std::string& text) { return user_error([&] { parse_flow_csv(text, "f.csv"); }); };
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,1,2,1.0005\n"),
            "f.csv:2: start_ns: \"1.0005\" is not a number with up to three decimals");
  EXPECT_EQ(csv("a,b\n"), "f.csv:1: the first line must be src,dst,bytes,start_ns");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,1,2\n"),
            "f.csv:2: has 3 columns, not 4\n  src,dst,bytes,start_ns");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,1,-2,0\n").substr(0, 31), "f.csv:2: bytes: -2 is out of ra");
  EXPECT_EQ(csv("src,dst,bytes,start_ns\n0,x,2,0\n"), "f.csv:2: dst: \"x\" is not a whole number");
  EXPECT_EQ(csv(""), "f.csv: is empty\n  the first line is src,dst,bytes,start_ns");
  const auto cm = [](const std::string& text) {
    return user_error([&] { parse_connection_matrix(text, "f.cm"); });
  };
  EXPECT_NE(
      cm("Nodes 2\nConnections 2\n0->1 id 1 start 0 size 5\n").find("announces 2 connections but holds 1"),
      std::string::npos);
  EXPECT_NE(cm("Nodes 2\nConnections 1\n0->1 id 1 trigger 3 size 5\n").find("\"trigger\" is not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::formats
