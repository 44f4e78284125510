// Our transports beside what their engines do by themselves, in one run.
//   bench_transport                        ZeroMQ between two processes, over TCP
//   mpirun -n 4 bench_transport            MPI: rows fetched between the first two; dense gradients of all
// Rows: 50,000 of 48 floats at random places of a table, asked for by message. The engine: messages of the
// same size, each answering a small one, as many under way; with MPI from and into four buffers in turn,
// which take as much memory as the table and the answers. MPI is measured in two more ways: with messages
// that are made of rows of the same table, which is all that any transport could reach, and from always the
// same buffer, which stays in the cache. Sums: 4.9 MB of floats over all processes, ours as messages in a
// fixed order, MPI's with MPI_Allreduce. Both take turns, in blocks; the best block counts, and the median is
// told as well: on a machine that others use, only the best is the engine's own.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overture/rpc/fetch_bench.h"
#include "overture/train/dense_sums.h"
#ifdef OVERTURE_ZMQ
#include "overture/rpc/mesh.h"
#include "overture/rpc/zmq_socket.h"
#endif
#ifdef OVERTURE_MPI
#include <mpi.h>

#include "overture/rpc/mpi.h"
#endif

namespace overture {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 16;
constexpr int kRounds = 8;  // of a block
constexpr std::size_t kAnswerBytes = 50'000 * 48 * 4 + 8;
constexpr std::size_t kBuffers = 4;
constexpr std::size_t kSumFloats = 4'900'000 / 4;

double median_of(int rounds, const std::function<void()>& one) {
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto began = Clock::now();
    one();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - began).count());
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

double best(const std::vector<double>& seconds) { return std::ranges::min(seconds); }

double median(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

// Of every block: ours, and the engine's.
struct Turns {
  std::vector<double> ours = {};
  std::vector<double> alone = {};
};

struct RowTurns {
  Turns seconds;
  std::vector<double> cached = {};  // the engine's, always from the same buffer
  std::vector<double> rows = {};    // the engine's, with rows of the table
  std::vector<double> one_row = {};
  std::vector<double> cpu_per_gigabyte = {};

  void add(const rpc::FetchMeasured& measured, double alone) {
    seconds.ours.push_back(measured.seconds);
    seconds.alone.push_back(alone);
    one_row.push_back(measured.one_row_seconds);
    cpu_per_gigabyte.push_back(measured.cpu_seconds_per_gigabyte());
  }
};

void print_rows(const char* engine, const RowTurns& turns) {
  const auto rate = [](double seconds) { return 1e-9 * static_cast<double>(kAnswerBytes) / seconds; };
  const auto say = [&](const char* which, double ours, double alone) {
    fmt::print("{}: rows, {} block: {:.2f} GB/s, the engine alone {:.2f} GB/s: {:.0f} %\n", engine, which,
               rate(ours), rate(alone), 100 * alone / ours);
  };
  say("best", best(turns.seconds.ours), best(turns.seconds.alone));
  say("median", median(turns.seconds.ours), median(turns.seconds.alone));
  if (!turns.cached.empty())
    fmt::print("{}: the engine alone from one buffer {:.2f} GB/s, with rows of the table {:.2f} GB/s\n",
               engine, rate(best(turns.cached)), rate(best(turns.rows)));
  fmt::print("{}: one row {:.0f} us; {:.2f} CPU s/GB\n", engine, 1e6 * median(turns.one_row),
             median(turns.cpu_per_gigabyte));
}

#ifdef OVERTURE_ZMQ

constexpr int kPort = 24680;

rpc::MeshConfig mesh_config(int self) {
  return {.self = rpc::Address{self}, .count = 2, .master_port = kPort, .names = [](rpc::Address who) {
            return fmt::format("process {}", rpc::index(who));
          }};
}

// Two pipes, as the mesh has them; what came is copied out once, as a message is.
struct Pipes {
  rpc::ZmqSocket in;
  rpc::ZmqSocket out;

  Pipes(void* context, bool asks)
      : in(rpc::make_socket(context, ZMQ_PULL)), out(rpc::make_socket(context, ZMQ_PUSH)) {
    const auto connect = asks ? zmq_bind : zmq_connect;
    connect(in.get(), fmt::format("tcp://127.0.0.1:{}", kPort + (asks ? 2 : 1)).c_str());
    connect(out.get(), fmt::format("tcp://127.0.0.1:{}", kPort + (asks ? 1 : 2)).c_str());
  }
};

void answer_alone(const Pipes& pipes) {
  const auto& [in, out] = pipes;
  char byte = 0;
  while (zmq_recv(in.get(), &byte, 1, 0) == 1 && byte == 'a') {
    zmq_msg_t answer;
    zmq_msg_init_size(&answer, kAnswerBytes);
    std::memset(zmq_msg_data(&answer), 1, kAnswerBytes);
    zmq_msg_send(&answer, out.get(), 0);
  }
}

double ask_alone(const Pipes& pipes) {
  const auto& [in, out] = pipes;
  rpc::Buffer answer(kAnswerBytes);
  zmq_send(out.get(), "a", 1, 0);
  const double seconds = median_of(kRounds, [&] {
    zmq_send(out.get(), "a", 1, 0);
    zmq_recv(in.get(), answer.data(), answer.size(), 0);
  });
  zmq_recv(in.get(), answer.data(), answer.size(), 0);
  zmq_send(out.get(), "z", 1, 0);
  return seconds;
}

void compare_zmq() {
  const pid_t child = fork();
  const int self = child == 0 ? 1 : 0;
  {
    const rpc::ZmqContext context(zmq_ctx_new());
    const Pipes pipes(context.get(), self == 0);
    rpc::Mesh mesh(mesh_config(self));
    RowTurns turns;
    for (int block = 0; block < kBlocks; ++block) {
      if (self == 1) {
        answer_alone(pipes);
        rpc::serve_fetches(mesh, true);
      } else {
        const double alone = ask_alone(pipes);
        turns.add(rpc::measure_fetches(mesh, rpc::Address{1}, {.requests = kRounds}), alone);
        rpc::stop_serving(mesh, rpc::Address{1});
      }
    }
    if (self == 0) print_rows("ZeroMQ", turns);
  }
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}

#endif

#ifdef OVERTURE_MPI

using Fill = std::function<void(std::byte* to)>;

void fill_with_bytes(std::byte* to) { std::memset(to, 1, kAnswerBytes); }

// Rows of a table, other ones each time.
Fill fill_with_rows() {
  constexpr std::size_t kColumns = 48;
  std::vector<std::int64_t> places(50'000);
  std::ranges::generate(places, [random = std::mt19937()]() mutable {
    return static_cast<std::int64_t>(random()) % rpc::kFetchTableRows;
  });
  return [table = std::vector<float>(static_cast<std::size_t>(rpc::kFetchTableRows) * kColumns, 1.0f),
          places](std::byte* to) mutable {
    for (std::int64_t& place : places) place = (place * 48'271 + 1) % rpc::kFetchTableRows;
    rpc::copy_rows(table, places, kColumns, reinterpret_cast<float*>(to + 8));
  };
}

// Messages from and into these, in turn.
double mpi_alone(int rank, std::vector<rpc::Buffer>& buffers, const Fill& fill) {
  std::size_t turn = 0;
  const auto next = [&] { return buffers[turn++ % buffers.size()].data(); };
  const int bytes = static_cast<int>(kAnswerBytes);
  char byte = 0;
  if (rank == 1) {
    for (int i = 0; i < kRounds + 1; ++i) {
      MPI_Recv(&byte, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::byte* const buffer = next();
      fill(buffer);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    }
    return 0;
  }
  const auto receive = [&] { MPI_Recv(next(), bytes, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); };
  MPI_Send(&byte, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
  const double seconds = median_of(kRounds, [&] {
    MPI_Send(&byte, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    receive();
  });
  receive();
  return seconds;
}

double allreduce() {
  std::vector<float> gradients(kSumFloats, 1.0f);
  std::vector<float> sums(kSumFloats);
  return median_of(kRounds, [&] {
    MPI_Allreduce(gradients.data(), sums.data(), static_cast<int>(kSumFloats), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  });
}

// Party 0 is the first trainer here: there is no oracle.
class OurSums {
 public:
  explicit OurSums(rpc::Mpi& mpi) : mpi_(mpi), sums_({mpi.size(), 0}, rpc::index(mpi.self())) {}

  void once() {
    sums_.begin(batch_++, gradients_, out_);
    send();
    while (!sums_.done()) {
      while (sums_.advance()) {
      }
      if (sums_.summed()) {
        sums_.share(gradients_, out_);
        send();
        continue;
      }
      if (sums_.done()) break;
      auto message = std::get<rpc::Message>(mpi_.receive());
      message.from = rpc::Address{rpc::index(message.from) + 1};
      sums_.take(std::move(message));
    }
  }

 private:
  void send() {
    for (rpc::Message& message : out_) {
      message.to = rpc::Address{rpc::index(message.to) - 1};
      mpi_.send(std::move(message));
    }
    out_.clear();
  }

  rpc::Mpi& mpi_;
  train::DenseSums sums_;
  std::vector<float> gradients_ = std::vector<float>(kSumFloats, 1.0f);
  std::int64_t batch_ = 0;
  train::Outbox out_;
};

void print_sums(int processes, const Turns& turns) {
  const auto say = [&](const char* which, double ours, double alone) {
    fmt::print(
        "MPI: 4.9 MB summed over {} processes, {} block: {:.2f} ms, MPI_Allreduce {:.2f} ms: {:.2f}x\n",
        processes, which, 1e3 * ours, 1e3 * alone, ours / alone);
  };
  say("best", best(turns.ours), best(turns.alone));
  say("median", median(turns.ours), median(turns.alone));
}

Turns compare_sums(rpc::Mpi& mpi) {
  OurSums sums(mpi);
  Turns turns;
  for (int block = 0; block < kBlocks; ++block) {
    turns.alone.push_back(allreduce());
    turns.ours.push_back(median_of(kRounds, [&] { sums.once(); }));
    MPI_Barrier(MPI_COMM_WORLD);  // who asks for rows next must not be taken for one that sums
  }
  return turns;
}

RowTurns compare_rows(rpc::Mpi& mpi, int rank) {
  RowTurns turns;
  std::vector<rpc::Buffer> one(1, rpc::Buffer(kAnswerBytes));
  std::vector<rpc::Buffer> several(kBuffers, rpc::Buffer(kAnswerBytes));
  const Fill rows = fill_with_rows();
  for (int block = 0; rank < 2 && block < kBlocks; ++block) {
    turns.cached.push_back(mpi_alone(rank, one, fill_with_bytes));
    turns.rows.push_back(mpi_alone(rank, several, rows));
    const double alone = mpi_alone(rank, several, fill_with_bytes);
    if (rank == 1) {
      rpc::serve_fetches(mpi, true);
    } else {
      turns.add(rpc::measure_fetches(mpi, rpc::Address{1}, {.requests = kRounds}), alone);
      rpc::stop_serving(mpi, rpc::Address{1});
    }
  }
  return turns;
}

void compare_mpi() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    rpc::Mpi mpi(0, [](const std::vector<int>& said) {
      std::vector<rpc::Address> addresses;
      for (std::size_t i = 0; i < said.size(); ++i)
        addresses.push_back(rpc::Address{static_cast<std::int32_t>(i)});
      return addresses;
    });
    const Turns sums = compare_sums(mpi);
    const RowTurns rows = compare_rows(mpi, rank);
    if (rank == 0) {
      print_sums(mpi.size(), sums);
      print_rows("MPI", rows);
    }
  }
  MPI_Finalize();
}

#endif

}  // namespace
}  // namespace overture

int main() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as overture's processes have it
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#ifdef OVERTURE_MPI
  if (std::getenv("OMPI_COMM_WORLD_RANK") != nullptr) {
    overture::compare_mpi();
    return 0;
  }
#endif
#ifdef OVERTURE_ZMQ
  overture::compare_zmq();
#endif
  return 0;
}
