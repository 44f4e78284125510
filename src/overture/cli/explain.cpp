#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/setup/flows_setup.h"
#include "overture/setup/setup.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

struct Options {
  std::string key;
  bool flows = false;
  bool train = false;
  bool markdown = false;
};

void print_one(const setup::Explanation& e) {
  fmt::print("{}\n  {}\n  {}", e.key, wrap(e.help, 80, 2), e.type);
  if (e.required) {
    fmt::print("; required");
  } else if (!e.initial.empty()) {
    fmt::print("; default {}", e.initial);
  }
  fmt::print("\n");
}

void print_markdown(const std::vector<setup::Explanation>& all) {
  fmt::print("| key | value | default | meaning |\n|---|---|---|---|\n");
  for (const setup::Explanation& e : all) {
    const std::string initial = e.required ? "required" : e.initial.empty() ? "" : "`" + e.initial + "`";
    fmt::print("| `{}` | {} | {} | {} |\n", e.key, e.type, initial, e.help);
  }
}

// "system" explains everything below it; "network.dimensions.0.size" is an entry's key like any other's.
int run(const Options& options) {
  const auto all = options.train   ? setup::explain_train_setup()
                   : options.flows ? setup::explain_flows_setup()
                                   : setup::explain_setup();
  if (options.markdown) {
    print_markdown(all);
    return 0;
  }
  std::string wanted;
  for (const char c : options.key) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && wanted.ends_with('.')) {
      wanted.pop_back();
      wanted += "[]";
    } else if (!digit) {
      wanted += c;
    }
  }
  std::vector<std::string> known;
  bool found = false;
  for (const setup::Explanation& e : all) {
    known.push_back(e.key);
    if (!wanted.empty() && e.key != wanted && !e.key.starts_with(wanted + ".") &&
        !e.key.starts_with(wanted + "["))
      continue;
    print_one(e);
    found = true;
  }
  if (!found)
    throw UserError(fmt::format("unknown key \"{}\"", options.key), wrap(suggest(wanted, known), 80, 2));
  return 0;
}

}  // namespace

void add_explain(Command& root) {
  auto options = std::make_shared<Options>();
  Command command = root.add("explain", "Say what a key of a setup means, its unit and its default");
  command
      .positional("key", options->key,
                  "Such as network.contention, or a part like system; all keys when left out", false)
      .flag("--flows", options->flows,
            "Keys of the setups of `overture flows`, instead of those of `simulate`")
      .flag("--train", options->train, "Keys of the setups of `overture train`")
      .flag("--markdown", options->markdown, "All keys as a table; docs/reference/*.md are made from it")
      .examples("  overture explain network.contention\n  overture explain system")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
