#include <algorithm>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/setup/prices.h"
#include "overture/setup/search_setup.h"
#include "overture/setup/setup.h"
#include "overture/setup/sweep_setup.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

struct ExplainOptions {
  std::string key;
  bool simulate = false;
  bool train = false;
  bool sweep = false;
  bool codesign = false;
  bool markdown = false;
};

// The keys of one command's setups.
struct Setups {
  std::string command;
  std::vector<setup::Explanation> keys;
};

// Those that were asked for; without a flag all of them.
std::vector<Setups> chosen(const ExplainOptions& options) {
  const bool all = !options.simulate && !options.train && !options.sweep && !options.codesign;
  std::vector<Setups> setups;
  if (all || options.simulate) setups.push_back({"simulate", setup::explain_setup()});
  if (all || options.train) setups.push_back({"train", setup::explain_train_setup()});
  if (all || options.sweep) setups.push_back({"sweep", setup::explain_sweep_setup()});
  if (all || options.codesign) setups.push_back({"codesign", setup::explain_search_setup()});
  return setups;
}

void print_one(const setup::Explanation& e) {
  std::string value = e.type;
  if (e.required) value += "; required";
  if (!e.initial.empty()) value += "; default " + e.initial;
  fmt::print("{}\n  {}\n  {}\n", e.key, wrap(e.help, 80, 2), wrap(value, 80, 2));
  if (!e.source.empty()) fmt::print("  default from: {}\n", wrap(e.source, 80, 16));
}

void print_markdown(const Setups& setups) {
  fmt::print("| key | value | default | meaning | default from |\n|---|---|---|---|---|\n");
  for (const setup::Explanation& e : setups.keys) {
    const std::string initial = e.required ? "required" : e.initial.empty() ? "" : "`" + e.initial + "`";
    fmt::print("| `{}` | {} | {} | {} | {} |\n", e.key, e.type, initial, e.help, e.source);
  }
}

// "network.dimensions.0.size" is the size of any of the dimensions: "network.dimensions[].size".
std::string any_entry(const std::string& key) {
  std::string wanted;
  for (const char c : key) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && wanted.ends_with('.')) {
      wanted.pop_back();
      wanted += "[]";
    } else if (!digit) {
      wanted += c;
    }
  }
  return wanted;
}

// "system" explains everything below it, "" everything.
std::vector<setup::Explanation> below(const Setups& setups, const std::string& wanted) {
  std::vector<setup::Explanation> found;
  std::ranges::copy_if(setups.keys, std::back_inserter(found), [&](const setup::Explanation& e) {
    return wanted.empty() || e.key == wanted || e.key.starts_with(wanted + ".") ||
           e.key.starts_with(wanted + "[");
  });
  return found;
}

// "transport" or "all_reduce" alone is the end of a key.
std::string keys_that_end(const std::string& wanted, const std::vector<std::string>& known) {
  std::string found;
  for (const std::string& key : known) {
    if (!wanted.empty() && key.ends_with("." + wanted) && found.find("\"" + key + "\"") == std::string::npos)
      found += fmt::format("{}\"{}\"", found.empty() ? "" : " or ", key);
  }
  return found.empty() ? found : fmt::format("did you mean {}?", found);
}

// Cost is no key but a result; its prices are.
int explain_cost() {
  fmt::print(
      "cost\n  {}\n\n  {}\n\n  {}\n\nKeys of a price list (network.prices; examples/prices.yaml):\n\n",
      wrap("What the network costs, in dollars: a line in the tables of simulate, flows and sweep, and "
           "network_cost_dollars in summary.json. `overture sweep STUDY --under \"cost 20000 $\"` shows only "
           "what a budget allows.",
           80, 2),
      wrap("A topology pays for every cable (link), for every switch port that a cable ends at (switch / "
           "switch_ports), and for a NIC wherever a machine is on a switch, each in proportion to its rate. "
           "Rotors add rotor_port per uplink. What is inside a machine is not counted.",
           80, 2),
      wrap(
          "Dimensions are counted as ASTRA-sim 1.0 counts them: links in proportion to their rate, and whole "
          "switches at any rate.",
          80, 2));
  for (const setup::Explanation& e : setup::explain_prices()) print_one(e);
  return 0;
}

int run(const ExplainOptions& options) {
  if (options.key == "cost" || options.key == "prices" || options.key == "network.prices")
    return explain_cost();
  const std::vector<Setups> setups = chosen(options);
  if (options.markdown) {
    print_markdown(setups.front());
    return 0;
  }
  const std::string wanted = any_entry(options.key);
  const bool all = options.key.empty();
  std::vector<std::string> known;
  bool found = false;
  for (const Setups& of : setups) {
    for (const setup::Explanation& e : of.keys) known.push_back(e.key);
    const auto keys = wanted.empty() && !all ? std::vector<setup::Explanation>{} : below(of, wanted);
    if (!keys.empty()) fmt::print("{}Setups of `overture {}`:\n\n", found ? "\n" : "", of.command);
    for (const setup::Explanation& e : keys) print_one(e);
    found = found || !keys.empty();
  }
  if (found) return 0;
  const std::string longer = keys_that_end(wanted, known);
  throw UserError(fmt::format("unknown key \"{}\"", options.key),
                  wrap(longer.empty() ? suggest(wanted, known) : longer, 80, 2));
}

}  // namespace

void add_explain(Command& root) {
  auto options = std::make_shared<ExplainOptions>();
  Command command = root.add("explain", "Explain a key of a setup: its meaning, unit, default and source");
  command
      .positional("key", options->key,
                  "Such as network.contention, or a part like system; all keys when left out", false)
      .flag("--simulate", options->simulate, "Only keys of the setups of `overture simulate`")
      .flag("--train", options->train, "Only those of `overture train`")
      .flag("--sweep", options->sweep, "Only those of `overture sweep`")
      .flag("--codesign", options->codesign, "Only those of `overture codesign`")
      .flag("--markdown", options->markdown,
            "All keys of one kind as a table; docs/reference/*.md are made from it")
      .examples(
          "  overture explain network.contention\n"
          "  overture explain --train cache\n"
          "  overture explain cost                (how it is counted, and the prices)")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
