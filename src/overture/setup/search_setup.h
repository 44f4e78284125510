// The setup of `overture codesign`: a training, what of it and of its networks may vary, what it may cost,
// and how far the search goes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "overture/setup/visitors.h"

namespace overture::setup {

// Several keys that change together, under one name.
struct SearchChoice {
  std::string name;
  std::vector<std::string> set;  // key=value
};

// What varies: a key over values, or choices that set several keys.
struct SearchAxis {
  std::string key;  // of choices: what they are about
  std::vector<std::string> values;
  std::vector<SearchChoice> choices;

  std::size_t count() const { return choices.empty() ? values.size() : choices.size(); }
  const std::string& label(std::size_t i) const { return choices.empty() ? values[i] : choices[i].name; }
  std::vector<std::string> overrides(std::size_t i) const {
    return choices.empty() ? std::vector{key + "=" + values[i]} : choices[i].set;
  }
};

// A kind of network, with axes of its own.
struct SearchNetwork {
  std::string name;
  std::vector<std::string> set;        // key=value, first of all
  std::vector<SearchAxis> axes;        // of what flows see
  std::vector<std::string> check;      // key=value, where packets check a point
  std::vector<SearchAxis> check_axes;  // of what only packets see: transports, buffers
};

struct SearchSetup {
  std::string name = "codesign";
  std::string setup;  // a file, beside this one
  std::uint64_t seed = 1;
  std::vector<std::string> fixed;
  std::vector<SearchAxis> axes;
  std::vector<SearchNetwork> networks;
  double dollars = 0;  // 0: no limit
  double watts = 0;
  std::string prices;       // a file, beside this one; empty: that of each candidate's setup
  int candidates = 10'000;  // of more, so many are drawn
  int checked = 8;          // points of the front that packets check
  int check_seconds = 300;  // of each
  std::string file;         // of the search itself
};

SearchSetup parse_search_setup(std::string_view text, const std::string& file,
                               const std::vector<std::string>& overrides = {});
SearchSetup load_search_setup(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides = {});
std::vector<Explanation> explain_search_setup();

// One value of every axis.
struct SearchPoint {
  std::uint64_t number = 0;            // among all that there are
  std::size_t network = 0;             // of SearchSetup::networks
  std::vector<std::size_t> values;     // of SearchSetup::axes, then of the network's
  std::vector<std::string> overrides;  // for the setup
};
// The axes that it has values of, in their order.
std::vector<const SearchAxis*> axes_of(const SearchSetup& setup, std::size_t network);
// How many there are, and the one of this number.
std::uint64_t count_points(const SearchSetup& setup);
SearchPoint search_point(const SearchSetup& setup, std::uint64_t number);
std::uint64_t number_of(const SearchSetup& setup, std::size_t network,
                        const std::vector<std::size_t>& values);
// All, or as many as `candidates` drawn by the seed; ascending.
std::vector<std::uint64_t> drawn_points(const SearchSetup& setup);

// Overrides for each combination of the network's check_axes, after those of the point.
std::vector<std::vector<std::string>> checks_of(const SearchNetwork& network);

}  // namespace overture::setup
