#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/cli/commands.h"
#include "overture/cli/meeting.h"
#include "overture/rpc/fetch_bench.h"
#include "overture/rpc/in_process.h"

namespace overture::cli {
namespace {

struct TransportBenchOptions {
  std::string transport = "zeromq";
  int rows = 50'000;
  int columns = 48;
  int requests = 40;
  bool json = false;
  MeetingFlags meeting;
};

constexpr rpc::Address kServer{1};

rpc::FetchBench bench_of(const TransportBenchOptions& options) {
  const auto at_least_one = [](const char* flag, int value) {
    if (value < 1) throw UserError({.key = flag}, fmt::format("{} is less than 1", value));
  };
  at_least_one("--rows", options.rows);
  at_least_one("--columns", options.columns);
  at_least_one("--requests", options.requests);
  return {.rows = options.rows, .columns = options.columns, .requests = options.requests};
}

void print_measured(const TransportBenchOptions& options, const std::string& transport,
                    const rpc::FetchMeasured& measured) {
  if (options.json) {
    const Json root{{"transport", transport},
                    {"rows", options.rows},
                    {"columns", options.columns},
                    {"fetch_seconds", measured.seconds},
                    {"bytes_per_second", measured.bytes_per_second()},
                    {"one_row_seconds", measured.one_row_seconds},
                    {"cpu_seconds_per_gigabyte", measured.cpu_seconds_per_gigabyte()}};
    fmt::print("{}\n", write_json(root, 2));
    return;
  }
  Table table({"what", "value"});
  table.add({"transport", transport});
  table.add({fmt::format("{} rows of {} numbers", options.rows, options.columns),
             fmt::format("{:.3f} ms", 1e3 * measured.seconds)});
  table.add({"rate", fmt::format("{:.3f} GB/s", 1e-9 * measured.bytes_per_second())});
  table.add({"one row", fmt::format("{:.1f} us", 1e6 * measured.one_row_seconds)});
  table.add({"CPU time, both sides", fmt::format("{:.3f} s/GB", measured.cpu_seconds_per_gigabyte())});
  fmt::print("{}\n", table.text());
}

// Whoever is first asks; the second serves; others only come.
void take_part_in(const TransportBenchOptions& options, const setup::Meeting& meeting,
                  const std::string& transport) {
  if (meeting.self == kServer) rpc::serve_fetches(*meeting.transport, true);
  if (meeting.self != rpc::Address{0}) return;
  const rpc::FetchMeasured measured = rpc::measure_fetches(*meeting.transport, kServer, bench_of(options));
  rpc::stop_serving(*meeting.transport, kServer);
  print_measured(options, transport, measured);
}

void between_threads(const TransportBenchOptions& options) {
  rpc::InProcess network({std::nullopt, std::nullopt});
  std::jthread server([&] { rpc::serve_fetches(network.party(kServer), false); });
  const rpc::FetchMeasured measured =
      rpc::measure_fetches(network.party(rpc::Address{0}), kServer, bench_of(options));
  rpc::stop_serving(network.party(rpc::Address{0}), kServer);
  print_measured(options, "threads", measured);
}

// Two processes of this machine, over TCP.
void between_processes(TransportBenchOptions options) {
  constexpr int kFirstPort = 20000;  // below those that the system gives to whoever asks for any
  constexpr int kPorts = 12000;
  options.meeting.master_port = kFirstPort + getpid() % kPorts;
  options.meeting.world_size = 2;
  options.meeting.world_size_trainers = 1;
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) throw UserError("a second process cannot be started");
  if (child == 0) end_with(self);
  options.meeting.worker_id = child == 0 ? 1 : 0;
  const auto meeting = meet(child == 0 ? Role::trainer : Role::oracle, options.meeting, 1, 0);
  take_part_in(options, *meeting, "zeromq");
  if (child == 0) std::exit(0);
  int status = 0;
  waitpid(child, &status, 0);
}

int run_transport_bench(TransportBenchOptions options) {
  bench_of(options);
  const bool asks = options.meeting.worker_id.value_or(0) == 0;
  if (options.meeting.by_hand() && !options.meeting.world_size_trainers)
    options.meeting.world_size_trainers = options.meeting.world_size.value_or(2) - 1;
  const Role role = !options.meeting.by_hand() ? Role::any : asks ? Role::oracle : Role::trainer;
  if (const auto meeting = meet(role, options.meeting, 1, 0)) {
    take_part_in(options, *meeting, options.meeting.by_hand() ? "zeromq" : "mpi");
    return 0;
  }
  if (options.transport == "threads") {
    between_threads(options);
  } else if (options.transport == "zeromq") {
    between_processes(options);
  } else {
    throw UserError({.key = "--transport"}, fmt::format("unknown transport \"{}\"", options.transport),
                    "threads or zeromq; for MPI, start two processes with mpirun");
  }
  return 0;
}

}  // namespace

void add_bench_transport(Command& bench) {
  auto options = std::make_shared<TransportBenchOptions>();
  Command command = bench.add("transport", "Measure how fast rows come from another process");
  command
      .option("--transport NAME", options->transport,
              "threads or zeromq, on this machine; under mpirun it is MPI")
      .option("--rows", options->rows, "Rows of a large request")
      .option("--columns", options->columns, "Numbers of a row, 4 bytes each")
      .option("--requests", options->requests, "Large requests that are timed")
      .flag("--json", options->json, "Print JSON instead of a table");
  add_meeting_flags(command, options->meeting);
  command
      .examples(
          "  overture bench transport\n"
          "  mpirun -n 2 overture bench transport\n"
          "  overture bench transport --worker-id 0 --world-size 2 \\\n"
          "    --master-ip 10.10.1.1  # here\n"
          "  overture bench transport --worker-id 1 --world-size 2 \\\n"
          "    --master-ip 10.10.1.1  # there")
      .runs([options] { return run_transport_bench(*options); });
}

}  // namespace overture::cli
