// A results folder that anybody could have written: the page, the list of runs and the listing show it or
// refuse it. A first byte chooses which of its files the rest is.
#include <array>

#include "memory_file.h"
#include "targets.h"
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/report/html.h"
#include "overture/serve/result_server.h"
#include "overture/serve/run_list.h"

using namespace overture;

namespace {

constexpr std::array kFiles{"summary.json", "study.json", "metrics.jsonl", "fct.csv",
                            "traffic.csv",  "trace.json", "progress.json", "links_over_time.csv"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFolder root;
  if (size == 0) return 0;
  const std::string name = kFiles[data[0] % kFiles.size()];
  const std::filesystem::path run = root.path() / "run";
  std::filesystem::create_directories(run);
  root.write("run/" + name, fuzz::as_text(data + 1, size - 1));
  fuzz::accepts([&] {
    const std::string page = report::page_data({run});
    fuzz::require(fuzz::accepts([&] { parse_json_or_throw(page); }), "the page's data are JSON");
  });
  serve::runs_json(serve::list_runs(root.path()));
  serve::listing(root.path(), root.path());
  std::filesystem::remove(run / name);
  return 0;
}
