#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "overture/base/interrupt.h"
#include "overture/cli/commands.h"
#include "overture/serve/result_server.h"

namespace overture::cli {
namespace {

struct ServeOptions {
  std::string folder = "results";
  std::string address = "127.0.0.1";
  int port = 8080;
};

int run(const ServeOptions& options) {
  serve::ResultServer server(options.folder, options.address, options.port);
  fmt::print("{} at http://{}:{}/ (Ctrl-C ends it)\n", options.folder, options.address, server.port());
  std::fflush(stdout);
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
  Command command = root.add("serve", "Browse a folder of results at localhost");
  command.positional("folder", options->folder, "Folder with results", false)
      .option("--address", options->address, "Where to listen; others than this machine only if you name it")
      .option("--port", options->port, "0: any free one")
      .examples("  overture serve\n  overture serve results --port 9000")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
