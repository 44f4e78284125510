#include "overture/rpc/fetch_bench.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "overture/base/random.h"
#include "overture/rpc/wire.h"

namespace overture::rpc {
namespace {

using BenchClock = std::chrono::steady_clock;

enum class Ask : std::uint32_t { rows, cpu, stop };

constexpr int kOneRowRequests = 200;
constexpr std::size_t kRowsAhead = 16;  // asked of memory before their turn, as embedding servers do

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Message receive_one(Transport& transport) {
  Received received = transport.receive();
  if (const auto* gone = std::get_if<Gone>(&received))
    throw std::runtime_error("party " + std::to_string(index(gone->who)) + " is gone: " + gone->why);
  return std::get<Message>(std::move(received));
}

Message ask(Ask kind, Address to) { return {.to = to, .kind = static_cast<std::uint32_t>(kind)}; }

// Places of `rows` rows, drawn from all of the table.
Message request(Address server, std::int64_t rows, std::int64_t columns, RandomStream& random) {
  Message message = ask(Ask::rows, server);
  message.step = columns;
  WireWriter writer(message.payload);
  std::int64_t* const places = writer.room<std::int64_t>(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    places[i] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(kFetchTableRows)));
  return message;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

double since(BenchClock::time_point began) {
  return std::chrono::duration<double>(BenchClock::now() - began).count();
}

double server_cpu(Transport& transport, Address server) {
  transport.send(ask(Ask::cpu, server));
  return WireReader(receive_one(transport).payload).get<double>();
}

double one_row(Transport& transport, Address server, const FetchBench& bench, RandomStream& random) {
  std::vector<double> seconds;
  for (int i = 0; i < kOneRowRequests; ++i) {
    const auto began = BenchClock::now();
    transport.send(request(server, 1, bench.columns, random));
    receive_one(transport);
    seconds.push_back(since(began));
  }
  return median(std::move(seconds));
}

}  // namespace

FetchMeasured measure_fetches(Transport& transport, Address server, const FetchBench& bench) {
  RandomStream random = RandomStreams(1).make("fetches");
  FetchMeasured measured;
  measured.one_row_seconds = one_row(transport, server, bench, random);
  std::vector<Message> requests;  // made before time counts
  for (int i = 0; i < bench.requests + bench.under_way; ++i)
    requests.push_back(request(server, bench.rows, bench.columns, random));
  const double cpu_before = cpu_seconds();
  const auto began = BenchClock::now();
  std::size_t sent = 0;
  for (; sent < static_cast<std::size_t>(bench.under_way); ++sent) transport.send(std::move(requests[sent]));
  for (measured.answers = 0; measured.answers < std::ssize(requests); ++measured.answers) {
    const Message answer = receive_one(transport);
    if (sent < requests.size()) transport.send(std::move(requests[sent++]));
    measured.answer_bytes = static_cast<std::int64_t>(answer.payload.size());
  }
  measured.seconds = since(began) / static_cast<double>(measured.answers);
  measured.cpu_seconds = cpu_seconds() - cpu_before + server_cpu(transport, server);
  return measured;
}

void copy_rows(std::span<const float> table, std::span<const std::int64_t> places, std::size_t columns,
               float* to) {
  const auto rows = static_cast<std::int64_t>(table.size() / columns);
  for (const std::int64_t place : places) require(place >= 0 && place < rows, "a row that is not here");
  const auto row = [&](std::size_t i) {
    return table.data() + static_cast<std::size_t>(places[i]) * columns;
  };
  for (std::size_t i = 0; i < places.size(); ++i, to += columns) {
    for (std::size_t c = 0; i + kRowsAhead < places.size() && c < columns; c += 16)
      __builtin_prefetch(row(i + kRowsAhead) + c);
    std::memcpy(to, row(i), columns * sizeof(float));
  }
}

void serve_fetches(Transport& transport, bool own_process) {
  std::vector<float> table;
  double cpu_before = cpu_seconds();
  for (;;) {
    const Message message = receive_one(transport);
    Message answer{.to = message.from};
    WireWriter writer(answer.payload);
    switch (static_cast<Ask>(message.kind)) {
      case Ask::stop: return;
      case Ask::cpu: writer.put(own_process ? cpu_seconds() - cpu_before : 0.0); break;
      case Ask::rows: {
        const auto columns = static_cast<std::size_t>(message.step);
        const auto places = WireReader(message.payload).array<std::int64_t>();
        table.resize(static_cast<std::size_t>(kFetchTableRows) * columns, 1.0f);
        if (places.size() == 1) cpu_before = cpu_seconds();  // the large ones follow
        copy_rows(table, places, columns, writer.room<float>(places.size() * columns));
      }
    }
    transport.send(std::move(answer));
  }
}

void stop_serving(Transport& transport, Address server) { transport.send(ask(Ask::stop, server)); }

}  // namespace overture::rpc
