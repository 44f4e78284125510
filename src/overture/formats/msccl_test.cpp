#include "overture/formats/msccl.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::formats {
namespace {

using system::CollectiveKind;

std::string step(const std::string& type, int offset, const std::string& more = "") {
  return fmt::format(
      "<step type=\"{}\" srcbuf=\"i\" srcoff=\"{}\" dstbuf=\"i\" dstoff=\"{}\" cnt=\"1\"{}/>\n", type, offset,
      offset, more);
}

// The ring as MSCCL's tools write it: a block a GPU, which sends to the right and receives from the left.
std::string ring_all_reduce(int gpus) {
  std::string xml =
      fmt::format("<algo name=\"ring\" ngpus=\"{}\" nchunksperloop=\"{}\" coll=\"allreduce\">\n", gpus, gpus);
  const auto wrapped = [&](int chunk) { return (chunk % gpus + gpus) % gpus; };
  for (int g = 0; g < gpus; ++g) {
    xml += fmt::format("<gpu id=\"{}\">\n<tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", g,
                       wrapped(g + 1), wrapped(g - 1));
    xml += step("s", g);
    for (int k = 1; k <= gpus - 2; ++k) xml += step("rrs", wrapped(g - k));
    xml += step("rrcs", wrapped(g + 1));
    for (int k = 0; k < gpus - 2; ++k) xml += step("rcs", wrapped(g - k));
    xml += step("r", wrapped(g - (gpus - 2)));
    xml += "</tb>\n</gpu>\n";
  }
  return xml + "</algo>\n";
}

std::string error_of(const std::string& xml, CollectiveKind kind = CollectiveKind::all_reduce) {
  return user_error([&] { parse_msccl(kind, xml, "a.xml"); });
}

TEST(MscclRing, HasTwiceAsManyStepsAsOtherGpus) {
  for (int gpus = 2; gpus <= 9; ++gpus) {
    const system::Steps steps = parse_msccl(CollectiveKind::all_reduce, ring_all_reduce(gpus), "ring.xml");
    EXPECT_EQ(steps.ranks, gpus);
    EXPECT_EQ(steps.chunks, gpus);
    EXPECT_EQ(static_cast<int>(steps.transfers.size()), 2 * (gpus - 1) * gpus);
    EXPECT_EQ(steps.transfers.back().step, 2 * (gpus - 1) - 1);
    for (const system::Transfer& transfer : steps.transfers)
      EXPECT_EQ(transfer.to, (transfer.from + 1) % gpus);
  }
}

TEST(MscclRing, HalfOfItReducesAndHalfCopies) {
  const system::Steps steps = parse_msccl(CollectiveKind::all_reduce, ring_all_reduce(5), "ring.xml");
  for (const system::Transfer& transfer : steps.transfers) EXPECT_EQ(transfer.reduce, transfer.step < 4);
}

TEST(MscclRing, CommentsAndDeclarationsAreSkipped) {
  const std::string xml = "<?xml version=\"1.0\"?>\n<!-- a ring -->\n" + ring_all_reduce(3);
  EXPECT_EQ(parse_msccl(CollectiveKind::all_reduce, xml, "ring.xml").ranks, 3);
}

// Each GPU gives its chunk to all others, one after the other.
TEST(Msccl, AnAllGatherWithABlockForEveryPair) {
  constexpr int kGpus = 3;
  std::string xml = fmt::format("<algo ngpus=\"{}\" nchunksperloop=\"{}\">", kGpus, kGpus);
  for (int g = 0; g < kGpus; ++g) {
    xml += fmt::format("<gpu id=\"{}\">", g);
    for (int other = 0; other < kGpus; ++other) {
      if (other == g) continue;
      xml += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"-1\" chan=\"0\">", 2 * other, other);
      xml +=
          fmt::format("<step type=\"s\" srcbuf=\"o\" srcoff=\"{}\" dstbuf=\"o\" dstoff=\"{}\"/></tb>", g, g);
      xml += fmt::format("<tb id=\"{}\" send=\"-1\" recv=\"{}\" chan=\"0\">", 2 * other + 1, other);
      xml += fmt::format("<step type=\"r\" srcbuf=\"o\" srcoff=\"{}\" dstbuf=\"o\" dstoff=\"{}\"/></tb>",
                         other, other);
    }
    xml += "</gpu>";
  }
  const system::Steps steps = parse_msccl(CollectiveKind::all_gather, xml + "</algo>", "gather.xml");
  EXPECT_EQ(steps.transfers.size(), 6u);
  for (const system::Transfer& transfer : steps.transfers) {
    EXPECT_EQ(transfer.chunk, transfer.from);
    EXPECT_FALSE(transfer.reduce);
  }
}

std::string two_gpus(const std::string& steps_of_0, const std::string& steps_of_1) {
  return "<algo ngpus=\"2\" nchunksperloop=\"2\">\n<gpu id=\"0\">\n<tb id=\"0\" send=\"1\" recv=\"1\" "
         "chan=\"0\">\n" +
         steps_of_0 + "</tb>\n</gpu>\n<gpu id=\"1\">\n<tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">\n" +
         steps_of_1 + "</tb>\n</gpu>\n</algo>\n";
}

TEST(MscclMessages, NameTheLineAndWhatIsWrong) {
  EXPECT_EQ(error_of("<algo ngpus=\"0\">"), "a.xml:1: ngpus is \"0\", not a number from 1");
  EXPECT_EQ(error_of("<algo ngpus=\"two\">"), "a.xml:1: ngpus is \"two\", not a number from 1");
  EXPECT_EQ(error_of("<algo ngpus=\"2\">\n<gpu id=\"2\">"), "a.xml:2: gpu 2 of 2");
  EXPECT_EQ(error_of("<algo ngpus=\"2\">\n<tb id=\"0\">"), "a.xml:2: a tb outside of a gpu");
  EXPECT_EQ(error_of("<algo ngpus=\"2\">\n<gpu id=\"0\">\n<step type=\"s\"/>"),
            "a.xml:3: a step outside of a tb");
  EXPECT_EQ(error_of("<algo ngpus=\"2\">\n<gpu id=\"0\">\n<tb id=\"0\">\n<step s=\"0\"/>"),
            "a.xml:4: a step without a type");
  EXPECT_EQ(error_of("<algo ngpus=\"2\">\n<gpu id=\"0\">\n<tb id=\"0\">\n<step type=\"s\" srcbuf=\"x\"/>"),
            "a.xml:4: unknown buffer x\n  i, o or s");
  EXPECT_EQ(error_of("<algo ngpus=\"1\"><gpu id=\"0\"><tb id=\"0\"></tb></gpu></algo>"),
            "a.xml: is not an MSCCL algorithm\n  <algo ngpus=\"8\" ...>");
  EXPECT_EQ(error_of(""), "a.xml: is not an MSCCL algorithm\n  <algo ngpus=\"8\" ...>");
}

TEST(MscclMessages, OfXmlThatIsNone) {
  EXPECT_EQ(error_of("<algo ngpus=\"2\""), "a.xml:1: a tag does not end");
  EXPECT_EQ(error_of("<algo\nngpus=\"2"), "a.xml:2: a value does not end");
  EXPECT_EQ(error_of("<algo ngpus 2>"), "a.xml:1: expected = after ngpus");
  EXPECT_EQ(error_of("<algo ngpus=2>"), "a.xml:1: expected a value in quotes after ngpus");
  EXPECT_EQ(error_of("< >"), "a.xml:1: expected a name");
}

TEST(MscclMessages, WhoWaitsForeverIsNamed) {
  EXPECT_EQ(error_of(two_gpus(step("r", 0), step("r", 0))), "a.xml:4: gpu 0 waits here forever");
  EXPECT_EQ(error_of(two_gpus(step("s", 0), "")),
            "a.xml: is no all_reduce: after step 0, the last, rank 0 still lacks rank 1's share of chunk 0");
}

TEST(MscclMessages, WhatNobodyReceivesIsNamed) {
  std::string xml = two_gpus(step("s", 0), step("r", 0));
  xml.replace(xml.find("recv=\"0\""), 8, "recv=\"-1\"");
  EXPECT_EQ(error_of(xml), "a.xml:4: no step receives what this step sends");
}

TEST(MscclMessages, AnAlgorithmThatDoesAnotherCollectiveIsRefused) {
  EXPECT_EQ(error_of(ring_all_reduce(3), CollectiveKind::all_gather).rfind("a.xml: is no all_gather: ", 0),
            0u);
  std::string without_copies = ring_all_reduce(3);
  for (std::size_t at = 0; (at = without_copies.find("\"rcs\"", at)) != std::string::npos;)
    without_copies.replace(at, 5, "\"rrs\"");
  EXPECT_EQ(error_of(without_copies).rfind("a.xml: is no all_reduce: step ", 0), 0u)
      << error_of(without_copies);
}

// Block 1 waits for step 0 of block 0: its send cannot be of the first round.
TEST(Msccl, AStepWaitsForThatOfAnotherBlock) {
  const std::string xml =
      "<algo ngpus=\"2\" nchunksperloop=\"2\">\n"
      "<gpu id=\"0\"><tb id=\"0\" send=\"-1\" recv=\"1\" chan=\"0\">" +
      step("rrc", 0) +
      "</tb>"
      "<tb id=\"1\" send=\"1\" recv=\"-1\" chan=\"1\">" +
      step("s", 0, " depid=\"0\" deps=\"0\"") + step("s", 1) +
      "</tb>"
      "<tb id=\"2\" send=\"-1\" recv=\"1\" chan=\"2\">" +
      step("r", 1) +
      "</tb></gpu>\n"
      "<gpu id=\"1\"><tb id=\"0\" send=\"0\" recv=\"-1\" chan=\"0\">" +
      step("s", 0) +
      "</tb>"
      "<tb id=\"1\" send=\"-1\" recv=\"0\" chan=\"1\">" +
      step("r", 0) + step("rrc", 1) +
      "</tb>"
      "<tb id=\"2\" send=\"0\" recv=\"-1\" chan=\"2\">" +
      step("s", 1, " depid=\"1\" deps=\"1\"") + "</tb></gpu></algo>";
  const system::Steps steps = parse_msccl(CollectiveKind::all_reduce, xml, "dep.xml");
  ASSERT_EQ(steps.transfers.size(), 4u);
  EXPECT_EQ(steps.transfers[0].from, 1);
  EXPECT_GT(steps.transfers[1].step, steps.transfers[0].step);
  EXPECT_EQ(steps.transfers[3].from, 1);
  EXPECT_GT(steps.transfers[3].step, steps.transfers[2].step);
}

}  // namespace
}  // namespace overture::formats
