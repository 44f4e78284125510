#include "overture/setup/search_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::setup {
namespace {

constexpr const char* kSearch = R"(
setup: base.yaml
fixed: [passes=2]
axes:
  - {key: workload.dlrm.batch, values: [1024, 2048]}
networks:
  - name: tree
    set: ["network.topology={fat_tree: {k: 4}}"]
    axes:
      - {key: network.oversubscription, values: [1, 2, 4]}
    check_axes:
      - {key: network.transport, values: [tcp, roce]}
  - {name: star, set: ["network.topology={star: {hosts: 16}}"]}
)";

TEST(SearchSetup, CountsEveryNetworkWithItsOwnAxes) {
  const SearchSetup setup = parse_search_setup(kSearch, "search.yaml");
  EXPECT_EQ(count_points(setup), 2U * 3 + 2);
  const SearchPoint point = search_point(setup, 4);
  EXPECT_EQ(point.overrides,
            (std::vector<std::string>{"passes=2", "network.topology={fat_tree: {k: 4}}",
                                      "workload.dlrm.batch=2048", "network.oversubscription=2"}));
  EXPECT_EQ(search_point(setup, 7).network, 1U);
  for (std::uint64_t i = 0; i < count_points(setup); ++i) {
    const SearchPoint one = search_point(setup, i);
    EXPECT_EQ(number_of(setup, one.network, one.values), i);
  }
}

TEST(SearchSetup, DrawsTheSameCandidatesForTheSameSeed) {
  const SearchSetup some = parse_search_setup(kSearch, "search.yaml", {"candidates=5"});
  EXPECT_EQ(drawn_points(some).size(), 5U);
  EXPECT_EQ(drawn_points(some), drawn_points(some));
  EXPECT_NE(drawn_points(some),
            drawn_points(parse_search_setup(kSearch, "search.yaml", {"candidates=5", "seed=4"})));
  EXPECT_EQ(drawn_points(parse_search_setup(kSearch, "search.yaml")).size(), 8U);
}

TEST(SearchSetup, ChecksEveryTransport) {
  const SearchSetup setup = parse_search_setup(kSearch, "search.yaml");
  EXPECT_EQ(checks_of(setup.networks[0]).size(), 2U);
  EXPECT_EQ(checks_of(setup.networks[1]), (std::vector<std::vector<std::string>>{{}}));
}

TEST(SearchSetup, RefusesAnAxisWithoutValues) {
  EXPECT_THROW(parse_search_setup("setup: a.yaml\naxes: [{key: batch, values: []}]", "s.yaml"), UserError);
  EXPECT_THROW(parse_search_setup("setup: a.yaml\nbudget: {dollars: -1}", "s.yaml"), UserError);
  EXPECT_THROW(parse_search_setup("setup: a.yaml\nbudgets: {}", "s.yaml"), UserError);
}

}  // namespace
}  // namespace overture::setup
