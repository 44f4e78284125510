#include "overture/setup/search_setup.h"

#include <set>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/random.h"
#include "overture/setup/lines.h"
#include "overture/setup/setup_kind.h"

namespace overture::setup {
namespace {

constexpr std::uint64_t kMostSearchPoints = 1'000'000'000'000;
constexpr int kMostCandidates = 1'000'000;

template <class V>
void describe_axes(V& v, std::string_view key, std::vector<SearchAxis>& axes, std::string_view help) {
  v.list(key, axes, help, [](auto& item, SearchAxis& axis) {
    item.required("key", axis.key, "A key of the setup, with dots; with choices, any name for them");
    item.words("values", axis.values, "Its values");
    item.list("choices", axis.choices, "In place of values: several keys that change together",
              [](auto& choice, SearchChoice& c) {
                choice.required("name", c.name, "Name that results show");
                choice.words("set", c.set, "key=value: what it sets; key=~ takes a key out of the setup");
              });
  });
}

template <class V>
void describe(V& v, SearchSetup& s) {
  v.from("ours");
  v.field("name", s.name, "Name of the search, shown in results");
  v.required("setup", s.setup, "Setup of `overture simulate`, beside this file");
  v.field("seed", s.seed, "Seed of the draw among candidates, where there are more than may be tried");
  v.words("fixed", s.fixed, "key=value: the same for every candidate");
  describe_axes(v, "axes", s.axes, "What varies of model, sharding, cache and collectives");
  v.list("networks", s.networks, "Kinds of networks", [](auto& item, SearchNetwork& n) {
    item.required("name", n.name, "Name that results show");
    item.words("set", n.set, "key=value: what makes this network");
    describe_axes(item, "axes", n.axes, "What varies of it: rates, oversubscription, slices");
    item.words("check", n.check, "key=value: where packets check a candidate");
    describe_axes(item, "check_axes", n.check_axes, "What only packets see: transports, buffers");
  });
  v.group("budget", "What a candidate may cost; 0: no limit", [&](auto& group) {
    group.field("dollars", s.dollars, "Most dollars to buy it");
    group.field("watts", s.watts, "Most power that it draws");
  });
  v.field("prices", s.prices,
          "Price list (YAML), beside this file; that of the setup (network.prices) if left out");
  v.field("candidates", s.candidates,
          "Most candidates that are tried; of more, this many are drawn by the seed");
  v.field("checked", s.checked, "Points of the front that packets check; 0: none");
  v.field("check_seconds", s.check_seconds, "Longest time of each such run; a slower one stays unchecked");
}

[[noreturn]] void fail(const SearchSetup& setup, const std::string& key, const std::string& what,
                       const std::string& hint = {}) {
  throw UserError({.file = setup.file, .key = key}, what, hint);
}

void require_values(const SearchSetup& setup, const std::vector<SearchAxis>& axes, const std::string& key) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].count() == 0)
      fail(setup, fmt::format("{}.{}.values", key, i), "an axis needs at least one value");
    if (!axes[i].values.empty() && !axes[i].choices.empty())
      fail(setup, fmt::format("{}.{}", key, i), "has both values and choices", "keep one of the two");
  }
}

std::uint64_t product(const std::vector<SearchAxis>& axes) {
  std::uint64_t count = 1;
  for (const SearchAxis& axis : axes) count = std::min(kMostSearchPoints + 1, count * axis.count());
  return count;
}

void require_sound(const SearchSetup& setup) {
  require_values(setup, setup.axes, "axes");
  for (std::size_t i = 0; i < setup.networks.size(); ++i) {
    require_values(setup, setup.networks[i].axes, fmt::format("networks.{}.axes", i));
    require_values(setup, setup.networks[i].check_axes, fmt::format("networks.{}.check_axes", i));
  }
  if (setup.dollars < 0 || setup.watts < 0) fail(setup, "budget", "must not be negative", "0 means no limit");
  if (setup.candidates < 1 || setup.candidates > kMostCandidates)
    fail(setup, "candidates", "must be from 1 to 1000000");
  if (setup.checked < 0 || setup.checked > 1000) fail(setup, "checked", "must be from 0 to 1000");
  if (setup.check_seconds < 1) fail(setup, "check_seconds", "must be at least 1");
  const std::uint64_t points = count_points(setup);
  if (points > kMostSearchPoints)
    fail(setup, "axes", "there are more than 10^12 candidates", "leave some values out");
}

}  // namespace

SearchSetup parse_search_setup(std::string_view text, const std::string& file,
                               const std::vector<std::string>& overrides) {
  Value root = parse_yaml(text, file);
  for (const std::string& assignment : overrides) override_value(root, assignment);
  require_kind(root, file, SetupKind::search);
  return with_lines(root, file, [&] {
    SearchSetup setup;
    setup.file = file;
    Reader reader(&root, file, "");
    describe(reader, setup);
    reader.finish();
    if (setup.networks.empty()) setup.networks.push_back({.name = "network of the setup"});
    require_sound(setup);
    return setup;
  });
}

SearchSetup load_search_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_search_setup(read_file(file), file.string(), overrides);
}

std::vector<Explanation> explain_search_setup() {
  std::vector<Explanation> explanations;
  SearchSetup initial;
  Explainer explainer(explanations, "");
  describe(explainer, initial);
  return explanations;
}

std::uint64_t count_points(const SearchSetup& setup) {
  std::uint64_t networks = 0;
  for (const SearchNetwork& network : setup.networks) networks += product(network.axes);
  const std::uint64_t others = product(setup.axes);
  return others > kMostSearchPoints / networks ? kMostSearchPoints + 1 : networks * others;
}

std::vector<const SearchAxis*> axes_of(const SearchSetup& setup, std::size_t network) {
  std::vector<const SearchAxis*> axes;
  for (const SearchAxis& axis : setup.axes) axes.push_back(&axis);
  for (const SearchAxis& axis : setup.networks[network].axes) axes.push_back(&axis);
  return axes;
}

// Networks one after the other; in each, its own axes vary fastest.
SearchPoint search_point(const SearchSetup& setup, std::uint64_t number) {
  SearchPoint point{.number = number};
  const std::uint64_t others = product(setup.axes);
  std::uint64_t rest = number;
  while (rest >= others * product(setup.networks[point.network].axes)) {
    rest -= others * product(setup.networks[point.network].axes);
    ++point.network;
    check(point.network < setup.networks.size(), "a point that exists");
  }
  const SearchNetwork& network = setup.networks[point.network];
  const std::vector<const SearchAxis*> axes = axes_of(setup, point.network);
  point.values.resize(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    point.values[i] = rest % axes[i]->count();
    rest /= axes[i]->count();
  }
  point.overrides = setup.fixed;
  point.overrides.insert(point.overrides.end(), network.set.begin(), network.set.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::vector<std::string> words = axes[i]->overrides(point.values[i]);
    point.overrides.insert(point.overrides.end(), words.begin(), words.end());
  }
  return point;
}

std::uint64_t number_of(const SearchSetup& setup, std::size_t network,
                        const std::vector<std::size_t>& values) {
  std::uint64_t before = 0;
  for (std::size_t n = 0; n < network; ++n) before += product(setup.axes) * product(setup.networks[n].axes);
  std::uint64_t number = 0;
  const auto take = [&](const std::vector<SearchAxis>& axes, std::size_t first) {
    for (std::size_t i = 0; i < axes.size(); ++i) number = number * axes[i].count() + values[first + i];
  };
  take(setup.axes, 0);
  take(setup.networks[network].axes, setup.axes.size());
  return before + number;
}

// Floyd's sampling: as many draws as points are wanted.
std::vector<std::uint64_t> drawn_points(const SearchSetup& setup) {
  const std::uint64_t all = count_points(setup);
  const auto wanted = static_cast<std::uint64_t>(setup.candidates);
  std::set<std::uint64_t> drawn;
  RandomStream random = RandomStreams(setup.seed).make("codesign");
  for (std::uint64_t i = all > wanted ? all - wanted : 0; i < all; ++i) {
    if (all <= wanted) {
      drawn.insert(i);
    } else if (!drawn.insert(random.below(i + 1)).second) {
      drawn.insert(i);
    }
  }
  return {drawn.begin(), drawn.end()};
}

std::vector<std::vector<std::string>> checks_of(const SearchNetwork& network) {
  std::vector<std::vector<std::string>> checks{network.check};
  for (const SearchAxis& axis : network.check_axes) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& one : checks) {
      for (std::size_t i = 0; i < axis.count(); ++i) {
        const std::vector<std::string> words = axis.overrides(i);
        longer.push_back(one);
        longer.back().insert(longer.back().end(), words.begin(), words.end());
      }
    }
    checks = std::move(longer);
  }
  return checks;
}

}  // namespace overture::setup
