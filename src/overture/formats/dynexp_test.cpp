// Opera's topology files: the original's own, ours, and what is wrong with broken ones.
#include "overture/formats/dynexp.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"

namespace overture::formats {
namespace {

using namespace topology;

constexpr auto kFolder = OVERTURE_GOLDEN "/htsim/topologies/";

std::string unzip(const std::string& path) {
  std::string text;
  char piece[1 << 14];
  gzFile_s* const file = gzopen(path.c_str(), "rb");
  for (int n = 0; (n = gzread(file, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

std::string message(const std::string& text) {
  return user_error([&] { parse_dynexp(text, "file"); });
}

TEST(Dynexp, TheOriginalsFilesComeBackByteForByte) {
  for (const std::string& text : {read_file(std::string(kFolder) + "opera_N4_k8_100G.txt"),
                                  read_file(std::string(kFolder) + "opera_N8_k8_100G.txt"),
                                  unzip(std::string(kFolder) + "opera_N32_k8_100G.txt.gz")}) {
    ASSERT_GT(text.size(), 1000);
    const Dynexp dynexp = parse_dynexp(text, "golden");
    EXPECT_TRUE(write_dynexp(dynexp.opera, dynexp.paths) == text);
    EXPECT_TRUE(count_hops(dynexp.opera).connected);
  }
}

TEST(Dynexp, TheOriginalsTimingIsOurs) {
  const Dynexp n4 = read_dynexp(std::string(kFolder) + "opera_N4_k8_100G.txt");
  EXPECT_EQ(opera_timing({}, count_hops(n4.opera).worst), n4.opera.timing());
  const Dynexp n32 = parse_dynexp(unzip(std::string(kFolder) + "opera_N32_k8_100G.txt.gz"), "golden");
  EXPECT_EQ(count_hops(n32.opera).worst, 8);
  EXPECT_EQ(opera_timing({}, 8), n32.opera.timing());
}

TEST(Dynexp, WhatIsWrittenIsRead) {
  const Opera opera = generate_opera({.tors = 12, .ports = 8, .draws = 1});
  const OperaPaths paths(opera, 3);
  const Dynexp again = parse_dynexp(write_dynexp(opera, paths), "file");
  EXPECT_EQ(again.opera, opera);
  EXPECT_EQ(again.paths, paths);
}

TEST(Dynexp, EveryTruncationIsNoticed) {
  const std::string text = read_file(std::string(kFolder) + "opera_N4_k8_100G.txt");
  // Not the last line: whether its last digit is missing cannot be seen.
  for (std::size_t size = 0; size < text.rfind('\n'); size += 7) {
    EXPECT_NE(message(text.substr(0, size)), "") << size;
  }
}

TEST(Dynexp, ContradictionsAreNamed) {
  const std::string text = read_file(std::string(kFolder) + "opera_N4_k8_100G.txt");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return message(changed);
  };
  EXPECT_NE(with("16 4 4 4", "17 4 4 4").find("17 hosts"), std::string::npos);
  EXPECT_NE(with("12 2300000", "13 2300000").find("13 slices"), std::string::npos);
  EXPECT_NE(with("0 3 2 1 1 2", "0 3 2 1 1 3").find("file:3"), std::string::npos);
  std::string everywhere = text;
  for (std::size_t at = 0; (at = everywhere.find("0 3 2 1 1 2", at)) != std::string::npos;)
    everywhere[at + 10] = '3';
  EXPECT_NE(message(everywhere).find("exactly once"), std::string::npos);
  EXPECT_NE(with("0 -1 2 1", "0 3 2 1").find("file:5"), std::string::npos);
  EXPECT_NE(with("\n0 3 7 6\n", "\n0 3 7 7\n").find("leads to ToR 0"), std::string::npos);
  EXPECT_NE(with("\n0 3 7 6\n", "\n0 3 5\n").find("dark"), std::string::npos);
  EXPECT_NE(with("\n0 3 7 6\n", "\n").find("no path from ToR 0 to ToR 3"), std::string::npos);
  EXPECT_NE(with("\n0 3 7 6\n", "\n0 3 x\n").find("whole numbers"), std::string::npos);
}

}  // namespace
}  // namespace overture::formats
