#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/printable.h"
#include "overture/cli/commands.h"
#include "overture/report/html.h"
#include "overture/serve/result_server.h"

namespace overture::cli {
namespace {

struct ServeOptions {
  std::string folder = "results";
  std::string address = "127.0.0.1";
  int port = 8080;
  bool json = false;
};

int run(const ServeOptions& options) {
  if (options.port < 0 || options.port > 65'535)
    throw UserError({.key = "--port"}, fmt::format("{} is not a port", options.port),
                    "from 0 (any) to 65535");
  serve::ResultServer server(options.folder, options.address, options.port, report::page_text);
  const std::string url = fmt::format("http://{}:{}/", options.address, server.port());
  if (options.json) {
    fmt::print("{{\"url\": \"{}\"}}\n", url);
  } else {
    fmt::print("{} at {} (Ctrl-C ends it)\n", printable(options.folder), url);
  }
  if (std::fflush(stdout) != 0)  // nobody knows where to look
    throw UserError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  const Interrupt interrupt;
  std::jthread watch([&](const std::stop_token& done) {
    while (!done.stop_requested() && !Interrupt::requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.stop();
  });
  server.run();
  return 0;
}

}  // namespace

void add_serve(Command& root) {
  auto options = std::make_shared<ServeOptions>();
  Command command = root.add("serve", "Show a folder of results in the browser, at localhost");
  command.positional("folder", options->folder, "Folder with results", false)
      .option("--address ADDRESS", options->address,
              "Address to listen at; the default admits only this machine")
      .option("--port", options->port, "Port to listen at; 0: any free port")
      .flag("--json", options->json, "Print the address as JSON")
      .examples("  overture serve\n  overture serve results --port 9000")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
