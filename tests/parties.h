// Training whose parties are processes, for tests: starts them, and compares what they leave.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "program.h"
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace overture::testing {

namespace fs = std::filesystem;

struct World {
  int trainers = 1;
  int servers = 1;
  int count() const { return 1 + trainers + servers; }
  std::string role(int worker) const {
    return worker == 0 ? "oracle" : worker <= trainers ? "trainer" : "server";
  }
  std::string name(int worker) const {
    if (worker == 0) return "the oracle";
    return role(worker) + " " + std::to_string(worker <= trainers ? worker - 1 : worker - 1 - trainers);
  }
};

inline const Words kSmall{"--synthetic",       "kaggle",  "--scale",        "0.001", "--samples",  "4000",
                          "--arch-mlp-bot",    "13-32-8", "--arch-mlp-top", "32-1",  "--emb-size", "8",
                          "--mini-batch-size", "128",     "--no-report"};

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Below those that the system gives to whoever asks for any, which others take at any time.
inline int free_port() {
  static std::atomic<int> next{0};
  for (;;) {
    const int port = 20000 + (getpid() * 7 + next++ * 131) % 12000;
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
    const bool free = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(socket);
    if (free) return port;
  }
}

// All parties by hand, started in the order of `first`, `first`+1 and so on, round.
class ByHand {
 public:
  ByHand(World world, fs::path folder, std::string master_ip = "127.0.0.1")
      : world_(world), folder_(std::move(folder)), master_ip_(std::move(master_ip)), port_(free_port()) {}

  Words command(int worker, const Words& oracle_words) const {
    Words words{overture_binary().string(),
                world_.role(worker),
                "--worker-id",
                std::to_string(worker),
                "--world-size",
                std::to_string(world_.count()),
                "--world-size-trainers",
                std::to_string(world_.trainers),
                "--master-ip",
                master_ip_,
                "--master-port",
                std::to_string(port_),
                "--timeout",
                "20"};
    return worker == 0 ? with(words, oracle_words) : words;
  }

  // `before` is put in front of the command of party `victim`.
  std::vector<Outcome> run_all(const Words& oracle_words, int first = 0, int victim = -1,
                               const Words& before = {}) const {
    return run_with(oracle_words, first, [&](int worker) { return worker == victim ? before : Words(); });
  }
  // What `before` gives is put in front of a party's command.
  std::vector<Outcome> run_with(const Words& oracle_words, int first,
                                const std::function<Words(int worker)>& before) const {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(world_.count()));
    std::vector<std::thread> threads;
    for (int i = 0; i < world_.count(); ++i) {
      const int worker = (first + i) % world_.count();
      const Words words = with(before(worker), command(worker, oracle_words));
      threads.emplace_back([&, worker, words] {
        outcomes[static_cast<std::size_t>(worker)] = run(words, {.folder = folder_});
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }

 private:
  World world_;
  fs::path folder_;
  std::string master_ip_;
  int port_;
};

inline fs::path checkpoint(const fs::path& results) {
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(results / "checkpoints")) {
    const auto rank = [](const fs::path& path) { return std::pair(path.string().size(), path.string()); };
    if (rank(newest) < rank(entry.path())) newest = entry.path();
  }
  return newest;
}

inline void expect_same_bytes(const fs::path& one, const fs::path& other) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(checkpoint(one))) {
    const fs::path twin = checkpoint(other) / entry.path().filename();
    ASSERT_TRUE(fs::exists(twin)) << twin;
    EXPECT_TRUE(read_text(entry.path()) == read_text(twin)) << twin;
    ++files;
  }
  EXPECT_GE(files, 3u);
}

inline bool has_mpi() {
  try {
    return run({"mpirun", "--version"}).exit_code == 0 &&
           run({"sh", "-c", "ldd " + overture_binary().string() + " | grep -q libmpi"}).exit_code == 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

inline const Words kMpirun{"mpirun", "--allow-run-as-root", "--oversubscribe"};

}  // namespace overture::testing
