// Our transports beside what their engines do by themselves, in one run.
//   bench_transport                        ZeroMQ between two processes, over TCP
//   mpirun -n 4 bench_transport            MPI: rows fetched between the first two; dense gradients of all
// Rows: 50,000 of 48 floats at random places of a table, asked for by message. The engine: messages of the
// same size, from a buffer that is there, each answering a small one, as many under way. Sums: 4.9 MB of
// floats over all processes, ours as messages in a fixed order, MPI's with MPI_Allreduce. Medians of the wall
// clock.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
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

constexpr int kRounds = 40;
constexpr std::size_t kAnswerBytes = 50'000 * 48 * 4 + 8;
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

void print_rows(const char* engine, const rpc::FetchMeasured& ours, double alone) {
  const double engine_rate = static_cast<double>(kAnswerBytes) / alone;
  fmt::print(
      "{}: rows at {:.2f} GB/s, the engine alone {:.2f} GB/s: {:.0f} %; one row {:.0f} us; {:.2f} CPU s/GB\n",
      engine, 1e-9 * ours.bytes_per_second(), 1e-9 * engine_rate, 100 * ours.bytes_per_second() / engine_rate,
      1e6 * ours.one_row_seconds, ours.cpu_seconds_per_gigabyte());
}

#ifdef OVERTURE_ZMQ

constexpr int kPort = 24680;

rpc::MeshConfig mesh_config(int self) {
  return {.self = rpc::Address{self}, .count = 2, .master_port = kPort, .names = [](rpc::Address who) {
            return fmt::format("process {}", rpc::index(who));
          }};
}

// Two pipes, as the mesh has them; what came is copied out once, as a message is.
void answer_alone(void* context) {
  const rpc::ZmqSocket in = rpc::make_socket(context, ZMQ_PULL);
  zmq_connect(in.get(), fmt::format("tcp://127.0.0.1:{}", kPort + 1).c_str());
  const rpc::ZmqSocket out = rpc::make_socket(context, ZMQ_PUSH);
  zmq_connect(out.get(), fmt::format("tcp://127.0.0.1:{}", kPort + 2).c_str());
  char byte = 0;
  while (zmq_recv(in.get(), &byte, 1, 0) == 1 && byte == 'a') {
    zmq_msg_t answer;
    zmq_msg_init_size(&answer, kAnswerBytes);
    std::memset(zmq_msg_data(&answer), 1, kAnswerBytes);
    zmq_msg_send(&answer, out.get(), 0);
  }
}

double ask_alone(void* context) {
  const rpc::ZmqSocket out = rpc::make_socket(context, ZMQ_PUSH);
  zmq_bind(out.get(), fmt::format("tcp://127.0.0.1:{}", kPort + 1).c_str());
  const rpc::ZmqSocket in = rpc::make_socket(context, ZMQ_PULL);
  zmq_bind(in.get(), fmt::format("tcp://127.0.0.1:{}", kPort + 2).c_str());
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
    double alone = 0;
    if (self == 1) {
      answer_alone(context.get());
      rpc::Mesh mesh(mesh_config(1));
      rpc::serve_fetches(mesh, true);
    } else {
      alone = ask_alone(context.get());
      rpc::Mesh mesh(mesh_config(0));
      print_rows("ZeroMQ", rpc::measure_fetches(mesh, rpc::Address{1}, {}), alone);
      rpc::stop_serving(mesh, rpc::Address{1});
    }
  }
  if (child == 0) std::exit(0);
  waitpid(child, nullptr, 0);
}

#endif

#ifdef OVERTURE_MPI

double mpi_alone(int rank) {
  rpc::Buffer buffer(kAnswerBytes);
  char byte = 0;
  const int bytes = static_cast<int>(kAnswerBytes);
  if (rank == 1) {
    for (int i = 0; i < kRounds + 1; ++i) {
      MPI_Recv(&byte, 1, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::memset(buffer.data(), i, buffer.size());
      MPI_Send(buffer.data(), bytes, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    }
    return 0;
  }
  MPI_Send(&byte, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
  const double seconds = median_of(kRounds, [&] {
    MPI_Send(&byte, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  MPI_Recv(buffer.data(), bytes, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
double our_sums(rpc::Mpi& mpi) {
  const train::Parties parties{mpi.size(), 0};
  const int rank = rpc::index(mpi.self());
  train::DenseSums sums(parties, rank);
  std::vector<float> gradients(kSumFloats, 1.0f);
  std::int64_t batch = 0;
  train::Outbox out;
  const auto send = [&] {
    for (rpc::Message& message : out) {
      message.to = rpc::Address{rpc::index(message.to) - 1};
      mpi.send(std::move(message));
    }
    out.clear();
  };
  return median_of(kRounds, [&] {
    sums.begin(batch++, gradients, out);
    send();
    while (!sums.done()) {
      while (sums.advance(out)) send();
      if (sums.done()) break;
      auto message = std::get<rpc::Message>(mpi.receive());
      message.from = rpc::Address{rpc::index(message.from) + 1};
      sums.take(std::move(message));
    }
  });
}

void compare_mpi() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double alone = rank < 2 ? mpi_alone(rank) : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double engine_sums = allreduce();
  {
    rpc::Mpi mpi(0, [](const std::vector<int>& said) {
      std::vector<rpc::Address> addresses;
      for (std::size_t i = 0; i < said.size(); ++i)
        addresses.push_back(rpc::Address{static_cast<std::int32_t>(i)});
      return addresses;
    });
    const double ours = our_sums(mpi);
    MPI_Barrier(MPI_COMM_WORLD);  // who asks for rows must not be taken for one that sums
    if (rank == 0) {
      fmt::print("MPI: 4.9 MB summed over {} processes in {:.2f} ms, MPI_Allreduce {:.2f} ms: {:.2f}x\n",
                 mpi.size(), 1e3 * ours, 1e3 * engine_sums, ours / engine_sums);
      print_rows("MPI", rpc::measure_fetches(mpi, rpc::Address{1}, {}), alone);
      rpc::stop_serving(mpi, rpc::Address{1});
    } else if (rank == 1) {
      rpc::serve_fetches(mpi, true);
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
