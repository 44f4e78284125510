#include "overture/report/links_record.h"

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"
#include "overture/base/text.h"
#include "overture/report/page_text.h"

namespace overture::report {
namespace {

using network::NetworkRecord;
using std::chrono::microseconds;

// Two links up and one of the core; the run took 10 us.
NetworkRecord some_record(NetworkRecord::Detail detail = NetworkRecord::Detail::packets) {
  NetworkRecord record;
  record.detail = detail;
  record.tiers = {"host", "core", "unused"};
  const auto link = [&](const char* from, const char* to, std::size_t tier, int busy_us,
                        std::int64_t carried) {
    NetworkRecord::Link one{
        .from = from, .to = to, .tier = tier, .rate = Bandwidth::bits_per_second(1'000'000'000)};
    one.total.busy = microseconds(busy_us);
    one.total.carried = Bytes{carried};
    one.total.peak_queue = Bytes{100 * busy_us};
    record.links.push_back(one);
  };
  link("h0", "s0", 0, 5, 500);
  link("h1", "s0", 0, 2, 200);
  link("s0", "s1", 1, 10, 700);
  record.links[2].total.drops = 3;
  record.links[2].total.paused = microseconds(4);
  return record;
}

TEST(LinksRecord, AGroupIsATierThatHasLinks) {
  const LinksRecord links = links_record(some_record(), microseconds(10));
  ASSERT_EQ(links.groups.size(), 2u);
  EXPECT_EQ(links.groups[0].name, "tier host");
  EXPECT_EQ(links.groups[0].links, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(links.groups[1].links, std::vector<std::size_t>{2});
}

TEST(LinksRecord, GroupsOfTheNetworkComeBehindTheTiers) {
  NetworkRecord record = some_record();
  record.groups.push_back({"rotor 0", {0, 2}});
  const LinksRecord links = links_record(record, microseconds(10));
  EXPECT_EQ(links.groups.back().name, "rotor 0");
}

TEST(LinksRecord, UtilisationIsTheShareOfTheRunInWhichALinkWasSending) {
  const LinksRecord links = links_record(some_record(), microseconds(10));
  EXPECT_DOUBLE_EQ(links.utilisation(links.links[0]), 0.5);
  EXPECT_DOUBLE_EQ(links.busiest(), 1);
  EXPECT_EQ(links.longest_queue(), Bytes{1000});
  const LinksRecord at_once = links_record(some_record(), Duration{});
  EXPECT_DOUBLE_EQ(at_once.busiest(), 0) << "a run without length";
  EXPECT_DOUBLE_EQ(LinksRecord{}.busiest(), 0);
}

TEST(WriteLinks, HasTheColumnsThatTheNetworkModels) {
  const auto head_and_core = [](NetworkRecord::Detail detail) {
    const TestFolder folder;
    write_links(links_record(some_record(detail), microseconds(10)), folder.path());
    const auto lines = split(bytes_of(folder / "links.csv"), '\n');
    EXPECT_EQ(lines.size(), 5u);
    return lines[0] + " | " + lines[3];
  };
  EXPECT_EQ(head_and_core(NetworkRecord::Detail::load),
            "from,to,tier,carried_bytes,utilisation_percent | s0,s1,core,700,100.00");
  EXPECT_EQ(head_and_core(NetworkRecord::Detail::queues),
            "from,to,tier,carried_bytes,utilisation_percent,peak_queue_bytes | s0,s1,core,700,100.00,1000");
  EXPECT_EQ(
      head_and_core(NetworkRecord::Detail::packets),
      "from,to,tier,carried_bytes,utilisation_percent,peak_queue_bytes,drops,marks,trims,pauses,paused_us | "
      "s0,s1,core,700,100.00,1000,3,0,0,0,4.000");
}

TEST(WriteLinks, WithoutLinksNothingIsWritten) {
  const TestFolder folder;
  write_links(LinksRecord{}, folder.path());
  EXPECT_EQ(folder.files(), 0u);
}

TEST(WriteLinks, WhatWasNotWatchedHasNoCurve) {
  const TestFolder folder;
  write_links(links_record(some_record(), microseconds(10)), folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / "links_over_time.csv"));
}

// Two samples of 5 us; the hosts' links are busy 40 % and 20 % of the first.
LinksRecord watched() {
  LinksRecord links = links_record(some_record(), microseconds(10));
  links.interval = microseconds(5);
  links.over_time = {{0.4, Bytes{100}}, {0.2, Bytes{300}}, {1, Bytes{}},
                     {0, Bytes{}},      {0, Bytes{}},      {0.5, Bytes{7}}};
  return links;
}

TEST(WriteLinks, OverTimeGroupsHaveTheMeanOfTheirLinksAndTheBusiestAreShownAlone) {
  const TestFolder folder;
  write_links(watched(), folder.path());
  const auto lines = split(bytes_of(folder / "links_over_time.csv"), '\n');
  EXPECT_EQ(lines[0], "link,until_us,utilisation_percent,queued_mean_bytes,queued_max_bytes");
  EXPECT_EQ(lines[1], "tier host,5,30.00,200,300");
  EXPECT_EQ(lines[2], "tier host,10,0.00,0,0");
  EXPECT_EQ(lines[5], "s0>s1,5,100.00,0,0") << "the one that carried most is the first";
  EXPECT_EQ(lines.size(), 1u + 2 * (2 + 3) + 1);
}

TEST(LinksCounters, AreACurveOfEveryGroup) {
  const auto found = counters(watched());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "link utilisation %, tier host");
  EXPECT_DOUBLE_EQ(found[0].value, 30);
  EXPECT_EQ(found[1].when, Time{microseconds(5)});
  EXPECT_DOUBLE_EQ(found[3].value, 50);
}

TEST(JsonText, IsQuotedAndEscaped) {
  EXPECT_EQ(json_text("a \"b\"\n\\"), "\"a \\\"b\\\"\\n\\\\\"");
  EXPECT_EQ(json_text("\xff"), "\"\xef\xbf\xbd\"") << "what is not UTF-8 is replaced";
}

// RFC 4648: three bytes are four letters; what is missing is filled with =.
TEST(GzipBase64, IsOfWholeGroupsOfFourLetters) {
  for (const std::size_t size : {0, 1, 2, 3, 100, 5000}) {
    const std::string text = gzip_base64(std::string(size, 'x'));
    EXPECT_EQ(text.size() % 4, 0u);
    EXPECT_EQ(text.rfind("H4sI", 0), 0u) << "gzip's first bytes";
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
              std::string::npos);
  }
  EXPECT_LT(gzip_base64(std::string(5000, 'x')).size(), 100u);
}

}  // namespace
}  // namespace overture::report
