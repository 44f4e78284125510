// The setup of `overture sweep`: which command runs, on which setup, and which of its keys vary over which
// values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/words.h"
#include "overture/setup/visitors.h"

namespace overture::setup {

struct KeyAxis {
  std::string key;                  // as after -s, such as network.dimensions.0.size
  std::vector<std::string> values;  // at least one
};

// Every combination of the axes' values; or the first values of all, then the second ones, ...
enum class Combination : std::uint8_t { all, listed };
constexpr auto vocabulary(Combination) {
  return std::to_array<Word<Combination>>({
      {Combination::all, "all"},
      {Combination::listed, "listed"},
  });
}

struct SweepSetup {
  std::string name = "sweep";
  std::string command = "simulate";
  std::string setup;               // a file, beside this one
  std::vector<std::string> fixed;  // key=value, the same for every point
  Combination combination = Combination::all;
  std::vector<KeyAxis> axes;
  int repeat = 1;      // runs of every point, with seeds 1, 2, ...
  std::string metric;  // a number of summary.json; empty: the command's main one
  std::string file;    // of the sweep itself
};

SweepSetup parse_sweep_setup(std::string_view text, const std::string& file,
                             const std::vector<std::string>& overrides = {});
// What a command that can be swept is about, a number of its summary.json; empty for other commands.
std::string main_number(std::string_view command);
// All numbers that the command's summary.json may have, so that a wrong `metric` is told before the first
// run.
const std::vector<std::string>& numbers_of_command(std::string_view command);
// Of accuracy, throughput and the like more is better; of everything else less.
bool more_is_better(std::string_view number);

SweepSetup load_sweep_setup(const std::filesystem::path& file,
                            const std::vector<std::string>& overrides = {});
std::vector<Explanation> explain_sweep_setup();

// Throws UserError, before anything runs, for a value of an axis with which no point can be loaded.
void check_points(const SweepSetup& setup);

// What -s gets for every point: first the fixed keys, then a value of every axis; the last axis varies
// fastest.
std::vector<std::vector<std::string>> sweep_points(const SweepSetup& setup);

}  // namespace overture::setup
