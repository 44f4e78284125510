#include "overture/topology/graph_file.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/text.h"
#include "overture/topology/shortest_path.h"

namespace overture::topology {
namespace {

constexpr int kMaxNodes = 1 << 22;

class Parser {
 public:
  explicit Parser(std::string_view name) : where_{.file = std::string(name)} {}

  void line(std::string text) {
    ++where_.line;
    if (const auto comment = text.find('#'); comment != std::string::npos) text.resize(comment);
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) return;
    if (words[0] == "hosts") return void(hosts_ = count(words));
    if (words[0] == "switches") return void(switches_ = count(words));
    if (words[0] == "link") return link(words);
    throw UserError(where_, fmt::format("unknown word \"{}\"", words[0]),
                    suggest(words[0], {"hosts", "link", "switches"}));
  }

  Topology finish() {
    where_.line = 0;
    if (hosts_ == 0) throw UserError(where_, "no hosts", "say how many: hosts 16");
    try {
      Graph graph(hosts_, switches_, std::move(links_), std::move(tiers_));
      auto routing = std::make_unique<ShortestPathRouting>(graph);
      return {.graph = std::move(graph), .routing = std::move(routing)};
    } catch (const UserError& error) {
      throw UserError(where_, error.what());
    }
  }

 private:
  int number(std::string_view text, std::string_view what) const {
    const auto value = parse_number<int>(text);
    if (!value || *value < 0 || *value > kMaxNodes) {
      throw UserError(where_, fmt::format("{} is a number from 0 to {}, not \"{}\"", what, kMaxNodes, text));
    }
    return *value;
  }

  int count(const std::vector<std::string>& words) const {
    if (words.size() != 2) throw UserError(where_, fmt::format("expected one number after \"{}\"", words[0]));
    if (!links_.empty()) throw UserError(where_, fmt::format("\"{}\" comes before the links", words[0]));
    return number(words[1], words[0]);
  }

  int node(const std::string& word) const {
    const bool host = word[0] == 'h';
    if (!host && word[0] != 's') {
      throw UserError(where_, fmt::format("unknown node \"{}\"", word),
                      "hosts are h0, h1, ...; switches s0, s1, ...");
    }
    const int number_of_kind = number(std::string_view(word).substr(1), "a node's number");
    if (number_of_kind >= (host ? hosts_ : switches_)) {
      throw UserError(where_, fmt::format("unknown node \"{}\": there are {} {}", word,
                                          host ? hosts_ : switches_, host ? "hosts" : "switches"));
    }
    return host ? number_of_kind : hosts_ + number_of_kind;
  }

  // Values are a number and a unit, with or without a space between.
  void link(const std::vector<std::string>& words) {
    if (words.size() < 5)
      throw UserError(where_, "a link has two ends, a rate and a delay", "link h0 s0 100 Gbps 500 ns");
    std::size_t next = 3;
    const auto value = [&] {
      if (next >= words.size()) throw UserError(where_, "a link has two ends, a rate and a delay");
      std::string text = words[next++];
      const bool bare = std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
      if (bare && next < words.size()) text += ' ' + words[next++];
      return text;
    };
    const auto rate = parse_bandwidth(value());
    if (!rate) throw UserError(where_, rate.error());
    const auto delay = parse_duration(value());
    if (!delay) throw UserError(where_, delay.error());
    const int tier = next < words.size() ? tier_of(words[next++]) : tier_of("link");
    if (next != words.size()) throw UserError(where_, fmt::format("unexpected \"{}\"", words[next]));
    if (rate.value() <= Bandwidth::bits_per_second(0)) throw UserError(where_, "the link has no rate");
    const int from = node(words[1]);
    const int to = node(words[2]);
    if (from == to) throw UserError(where_, fmt::format("links {} to itself", words[1]));
    connect(links_, from, to, {.rate = rate.value(), .delay = delay.value(), .tier = tier});
  }

  int tier_of(const std::string& name) {
    const auto known = std::ranges::find(tiers_, name);
    if (known != tiers_.end()) return static_cast<int>(known - tiers_.begin());
    tiers_.push_back(name);
    return static_cast<int>(tiers_.size()) - 1;
  }

  Where where_;
  int hosts_ = 0;
  int switches_ = 0;
  std::vector<Link> links_;
  std::vector<std::string> tiers_;
};

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    visit(line);
  }
}

// Counted before any is kept: a large file would otherwise fill the memory first.
std::int64_t cables_in(std::string_view text) {
  std::int64_t cables = 0;
  for_each_line(text, [&](std::string_view line) { cables += trimmed(line).starts_with("link") ? 1 : 0; });
  return cables;
}

}  // namespace

Topology parse_graph(std::string_view text, std::string_view name) {
  require_buildable(name, static_cast<double>(cables_in(text)));
  Parser parser(name);
  for_each_line(text, [&](std::string_view line) { parser.line(std::string(line)); });
  return parser.finish();
}

Topology read_graph(const std::filesystem::path& path) { return parse_graph(read_file(path), path.string()); }

}  // namespace overture::topology
