// A small valid run of `overture astra`, in a folder of its own: tests change one part of it and look what
// happens.
#pragma once

#include <string>
#include <string_view>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {

// `text` with the one place that reads `from` changed to `to`; fails the test when there is none.
std::string changed(std::string text, std::string_view from, std::string_view to);

struct AstraCase {
  std::string network;
  std::string system;
  std::string workload;
  // Instead of the file with that text.
  std::string network_file = "network.json";
  std::string system_file = "system.txt";
  std::string workload_file = "workload.txt";

  // A ring of four, three of them on a switch, two layers.
  AstraCase();

  // Writes the files and runs them, with reports in results/.
  Outcome run(const Words& more_flags = {}) const;
  const std::filesystem::path& folder() const { return scratch_.path(); }
  std::filesystem::path results() const { return folder() / "results"; }
  Words file_flags() const;
  void write_files() const;

 private:
  TemporaryFolder scratch_;
};

// One collective on a ring of four with links of 64 GiB/s together, 1 ns away; endpoint delay 10 ns.
struct OneCollective : AstraCase {
  OneCollective(std::string_view kind, std::int64_t bytes, int splits);
};

// The program refused: exit code 2, one message on stderr that contains all of `says`, nothing on stdout, and
// it did not take long.
void expect_refused(const Outcome& outcome, const std::vector<std::string>& says);

// The program ran and this is the number behind "all passes finished at time:".
std::int64_t finish_cycles(const Outcome& outcome);

}  // namespace overture::testing
