// Rows fetched over UCX and over ZeroMQ, the same work between two processes, one after the other in one run:
// which engine processes that are started by hand should use. UCX is written for this bench only, as well as
// we know: tags carry kind and step, nothing is copied, and a process that waits sleeps until its worker
// wakes it.
//   bench_ucx [ROUNDS]
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "overture/rpc/fetch_bench.h"
#include "overture/rpc/mesh.h"

namespace overture {
namespace {

void must(ucs_status_t status, const char* what) {
  if (status != UCS_OK) throw std::runtime_error(fmt::format("UCX: {}: {}", what, ucs_status_string(status)));
}

// Two processes that know each other by a pair of sockets. A thread owns the worker, so that messages move
// while a party computes, as those of ZeroMQ do.
class Ucx : public rpc::Transport {
 public:
  Ucx(int self, int other) : self_(self) {
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    ucp_config_t* config = nullptr;
    must(ucp_config_read(nullptr, nullptr, &config), "configuration");
    must(ucp_init(&params, config, &context_), "start");
    ucp_config_release(config);
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    must(ucp_worker_create(context_, &worker, &worker_), "worker");
    must(ucp_worker_get_efd(worker_, &wakes_), "wake-up");
    meet(other);
    thread_ = std::thread([this] { serve(); });
  }
  ~Ucx() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    ucp_worker_signal(worker_);
    thread_.join();
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }
  Ucx(const Ucx&) = delete;
  Ucx& operator=(const Ucx&) = delete;

  void send(rpc::Message message) override {
    {
      const std::lock_guard lock(mutex_);
      outgoing_.push_back(std::move(message));
    }
    ucp_worker_signal(worker_);
  }

  rpc::Received receive() override {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !inbox_.empty(); });
    rpc::Message message = std::move(inbox_.front());
    inbox_.pop_front();
    return message;
  }

  void fail(const std::string& why) override { throw std::runtime_error(why); }

 private:
  struct Moving {
    ucs_status_ptr_t request;
    rpc::Message message;

    bool done() const {
      if (request == nullptr) return true;
      if (UCS_PTR_IS_ERR(request)) must(UCS_PTR_STATUS(request), "a message");
      if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
      ucp_request_free(request);
      return true;
    }
  };

  // Exchanges the addresses of the workers.
  void meet(int other) {
    ucp_address_t* own = nullptr;
    std::size_t size = 0;
    must(ucp_worker_get_address(worker_, &own, &size), "address");
    if (write(other, own, size) != static_cast<ssize_t>(size)) throw std::runtime_error("no peer");
    ucp_worker_release_address(worker_, own);
    std::vector<std::byte> theirs(1 << 16);
    if (read(other, theirs.data(), theirs.size()) <= 0) throw std::runtime_error("no peer");
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(theirs.data());
    must(ucp_ep_create(worker_, &params, &peer_), "connect");
  }

  // The thread: asleep when there is nothing to do.
  void serve() {
    for (;;) {
      std::deque<rpc::Message> outgoing;
      bool closing = false;
      {
        const std::lock_guard lock(mutex_);
        outgoing.swap(outgoing_);
        closing = closing_;
      }
      for (rpc::Message& message : outgoing) start(std::move(message));
      while (ucp_worker_progress(worker_) != 0) continue;
      take_in();
      while (!sending_.empty() && sending_.front().done()) sending_.pop_front();
      if (closing && sending_.empty()) return;
      if (!outgoing.empty() || ucp_worker_arm(worker_) != UCS_OK) continue;
      pollfd waits{.fd = wakes_, .events = POLLIN, .revents = 0};
      poll(&waits, 1, -1);
    }
  }

  void start(rpc::Message message) {
    const ucp_tag_t tag = std::uint64_t{message.kind} << 56 | static_cast<std::uint64_t>(message.step);
    Moving& one = sending_.emplace_back(Moving{nullptr, std::move(message)});
    const ucp_request_param_t params{};
    one.request =
        ucp_tag_send_nbx(peer_, one.message.payload.data(), one.message.payload.size(), tag, &params);
  }

  void take_in() {
    ucp_tag_recv_info_t info{};
    while (const ucp_tag_message_h found = ucp_tag_probe_nb(worker_, 0, 0, 1, &info)) {
      rpc::Message message{.from = rpc::Address{1 - self_},
                           .kind = static_cast<std::uint32_t>(info.sender_tag >> 56),
                           .step = static_cast<std::int64_t>(info.sender_tag & (~std::uint64_t{} >> 8))};
      message.payload.resize(info.length);
      Moving& one = coming_.emplace_back(Moving{nullptr, std::move(message)});
      const ucp_request_param_t params{};
      one.request = ucp_tag_msg_recv_nbx(worker_, one.message.payload.data(), info.length, found, &params);
    }
    for (; !coming_.empty() && coming_.front().done(); coming_.pop_front()) {
      const std::lock_guard lock(mutex_);
      inbox_.push_back(std::move(coming_.front().message));
      arrived_.notify_one();
    }
  }

  int self_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h peer_ = nullptr;
  int wakes_ = -1;
  std::deque<Moving> sending_;
  std::deque<Moving> coming_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<rpc::Message> outgoing_;
  std::deque<rpc::Message> inbox_;
  bool closing_ = false;
  std::thread thread_;
};

constexpr rpc::Address kServer{1};
constexpr int kPort = 24780;

std::unique_ptr<rpc::Transport> make(const std::string& engine, int self, int other, int round) {
  if (engine == "ZeroMQ, TCP") {
    const rpc::MeshConfig config{
        .self = rpc::Address{self}, .count = 2, .master_port = kPort + round, .names = [](rpc::Address who) {
          return fmt::format("process {}", rpc::index(who));
        }};
    return std::make_unique<rpc::Mesh>(config);
  }
  setenv("UCX_TLS", engine == "UCX, TCP" ? "tcp" : "sm,self", 1);
  return std::make_unique<Ucx>(self, other);
}

// In processes of their own, so that no engine inherits another's state.
void measure(const std::string& engine, int round) {
  const pid_t one = fork();
  if (one != 0) {
    waitpid(one, nullptr, 0);
    return;
  }
  int ends[2] = {};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) throw std::runtime_error("no sockets");
  const pid_t two = fork();
  if (two == 0) {
    const auto transport = make(engine, 1, ends[1], round);
    rpc::serve_fetches(*transport, true);
  } else {
    const auto transport = make(engine, 0, ends[0], round);
    const rpc::FetchMeasured measured = rpc::measure_fetches(*transport, kServer, {});
    rpc::stop_serving(*transport, kServer);
    fmt::print("{:<20}{:>8.2f}{:>14.2f}{:>14.0f}\n", engine, 1e-9 * measured.bytes_per_second(),
               measured.cpu_seconds_per_gigabyte(), 1e6 * measured.one_row_seconds);
    std::fflush(stdout);
  }
  if (two != 0) waitpid(two, nullptr, 0);
  std::_Exit(0);
}

}  // namespace
}  // namespace overture

int main(int count, char** words) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // as overture's processes have it
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  fmt::print("{:<20}{:>8}{:>14}{:>14}\n", "engine", "GB/s", "CPU s/GB", "one row, us");
  std::fflush(stdout);
  const int rounds = count > 1 ? std::atoi(words[1]) : 3;
  for (int round = 0; round < rounds; ++round) {
    for (const char* engine : {"ZeroMQ, TCP", "UCX, TCP", "UCX, shared memory"})
      overture::measure(engine, round);
  }
  return 0;
}
