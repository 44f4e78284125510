#include "overture/serve/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture::serve {
// Named, since the loop below, which a header declares, is made of these.
namespace loop_parts {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 512;            // then the one that has been silent longest goes
constexpr std::uint64_t kMostPending = 256 << 20;        // bytes of made pages that wait for their readers
constexpr auto kPatience = std::chrono::seconds(15);     // without a byte, either way
constexpr auto kRequestTime = std::chrono::seconds(30);  // from the first byte of a request to the last
constexpr auto kLongestWait = std::chrono::milliseconds(500);
constexpr int kThreads = 4;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// What is sent back: a head and a body, or a part of a file.
struct Outgoing {
  std::string text;
  std::size_t sent = 0;
  Descriptor file{};
  std::uint64_t from = 0;
  std::uint64_t left = 0;
  bool keep_alive = true;
};

// None of the file if it cannot be read.
Outgoing outgoing_file(const HttpRequest& request, HttpResponse response) {
  Outgoing out{.text = {}, .keep_alive = request.keep_alive};
  out.file = Descriptor(::open(response.file->c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (out.file.get() < 0 || ::fstat(out.file.get(), &facts) != 0) {
    const bool too_many = out.file.get() < 0 && (errno == EMFILE || errno == ENFILE);
    out.file = Descriptor();
    out.text = response_head({.status = too_many ? 503 : 404}, 0, "", out.keep_alive);
    return out;
  }
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const std::optional<ByteRange> range = parse_range(request.header("range"), size);
  std::string content_range;
  out.left = size;
  if (range && range->length == 0) {
    out.left = 0;
    response.status = 416;
    content_range = fmt::format("bytes */{}", size);
  } else if (range) {
    out.from = range->first;
    out.left = range->length;
    response.status = 206;
    content_range = fmt::format("bytes {}-{}/{}", out.from, out.from + out.left - 1, size);
  }
  out.text = response_head(response, out.left, content_range, out.keep_alive);
  if (request.method == "HEAD") out.left = 0;
  return out;
}

Outgoing outgoing_of(const HttpRequest& request, HttpResponse response) {
  if (response.file) return outgoing_file(request, std::move(response));
  Outgoing out{.text = response_head(response, response.body.size(), "", request.keep_alive),
               .keep_alive = request.keep_alive};
  if (request.method != "HEAD") out.text += response.body;
  return out;
}

Outgoing refusal_of(int status) {
  const HttpResponse response{.status = status};
  return {.text = response_head(response, 0, "", false), .keep_alive = false};
}

struct Connection {
  explicit Connection(Descriptor given) : socket(std::move(given)) {}

  Descriptor socket;
  std::string in;
  std::optional<Outgoing> out;  // none while a request is awaited or answered
  bool answering = false;
  bool ended = false;  // the peer will not send any more
  Clock::time_point heard = Clock::now();
  Clock::time_point request_began = Clock::now();

  bool wants_request() const { return !answering && !out; }
  // Who asks, byte by byte, for ever must not stay either.
  bool out_of_time(Clock::time_point now) const {
    if (answering) return false;
    return now - heard > kPatience || (wants_request() && !in.empty() && now - request_began > kRequestTime);
  }
};

Descriptor bound_socket(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return Descriptor();
  Descriptor socket;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Descriptor candidate(
        ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol));
    const int yes = 1;
    ::setsockopt(candidate.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(candidate.get(), one->ai_addr, one->ai_addrlen) != 0 || ::listen(candidate.get(), 128) != 0)
      continue;
    socket = std::move(candidate);
    break;
  }
  ::freeaddrinfo(found);
  return socket;
}

int port_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::array<char, 16> port{};
  ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, nullptr, 0, port.data(), port.size(),
                NI_NUMERICSERV);
  return std::atoi(port.data());
}

// The threads that make answers, and the box in which they leave them.
class Answerers {
 public:
  Answerers(HttpServer::Answer answer, int wake) : answer_(std::move(answer)), wake_(wake) {
    for (int i = 0; i < kThreads; ++i)
      threads_.emplace_back([this](const std::stop_token& end) { work(end); });
  }
  ~Answerers() {
    {
      const std::lock_guard lock(mutex_);  // nobody is between his question and his sleep
      for (std::jthread& thread : threads_) thread.request_stop();
    }
    changed_.notify_all();
  }
  Answerers(const Answerers&) = delete;
  Answerers& operator=(const Answerers&) = delete;

  void ask(std::uint64_t connection, HttpRequest request) {
    const std::lock_guard lock(mutex_);
    asked_.emplace_back(connection, std::move(request));
    changed_.notify_one();
  }
  std::vector<std::pair<std::uint64_t, Outgoing>> take_answers() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answered_, {});
  }

 private:
  void work(const std::stop_token& end) {
    for (;;) {
      std::pair<std::uint64_t, HttpRequest> next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return end.stop_requested() || !asked_.empty(); });
        if (end.stop_requested()) return;
        next = std::move(asked_.front());
        asked_.pop_front();
      }
      Outgoing out = make(next.second);
      const std::lock_guard lock(mutex_);
      answered_.emplace_back(next.first, std::move(out));
      const std::uint64_t one = 1;
      (void)!::write(wake_, &one, sizeof one);
    }
  }
  Outgoing make(const HttpRequest& request) const {
    try {
      return outgoing_of(request, answer_(request));
    } catch (const std::exception&) {
      return refusal_of(500);
    }
  }

  HttpServer::Answer answer_;
  int wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::uint64_t, HttpRequest>> asked_;
  std::vector<std::pair<std::uint64_t, Outgoing>> answered_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace loop_parts

using namespace loop_parts;

class HttpServer::Loop {
 public:
  Loop(Descriptor listener, Answer answer)
      : listener_(std::move(listener)),
        wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        answerers_(std::move(answer), wake_.get()) {}

  void run() {
    while (!stopped_) {
      wait();
      take_answers();
      accept_all();
      for (auto& [id, connection] : connections_) serve(id, connection);
      drop_the_silent();
    }
  }
  void stop() {
    stopped_ = true;
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

 private:
  using Connections = std::list<std::pair<std::uint64_t, Connection>>;

  // Until something can be read or written, or time has passed.
  void wait() {
    polled_.assign({{listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}});
    for (const auto& [id, connection] : connections_) {
      const int events = connection.out ? POLLOUT : connection.answering ? 0 : POLLIN;
      polled_.push_back({connection.socket.get(), static_cast<short>(events), 0});
    }
    ::poll(polled_.data(), polled_.size(), static_cast<int>(kLongestWait.count()));
    std::uint64_t ignored = 0;
    (void)!::read(wake_.get(), &ignored, sizeof ignored);
  }

  void accept_all() {
    for (;;) {
      Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return;
      }
      if (connections_.size() >= kMostConnections) drop_the_most_silent();
      connections_.emplace_back(++last_id_, Connection(std::move(socket)));
    }
  }

  void take_answers() {
    for (auto& [id, out] : answerers_.take_answers()) {
      const auto found = std::ranges::find(connections_, id, &Connections::value_type::first);
      if (found == connections_.end()) continue;
      Connection& connection = found->second;
      connection.answering = false;
      connection.heard = Clock::now();
      if (pending() + out.text.size() > kMostPending) out = refusal_of(503);
      connection.out = std::move(out);
    }
  }
  std::uint64_t pending() const {
    std::uint64_t sum = 0;
    for (const auto& [id, connection] : connections_) sum += connection.out ? connection.out->text.size() : 0;
    return sum;
  }

  // As far as it goes without waiting; several requests may lie in one packet.
  void serve(std::uint64_t id, Connection& connection) {
    constexpr int kTurns = 32;  // then it is somebody else's turn
    bool moved = true;
    for (int turn = 0; turn < kTurns && moved && !gone(connection); ++turn) {
      if (connection.out) {
        moved = send_some(connection);
      } else {
        moved = !connection.answering && (take_next(id, connection) || read_some(connection));
      }
    }
  }
  static bool gone(const Connection& connection) { return connection.socket.get() < 0; }
  static void drop(Connection& connection) { connection.socket = Descriptor(); }

  bool take_next(std::uint64_t id, Connection& connection) {
    std::optional<TakenRequest> taken = take_request(connection.in);
    if (!taken) {
      if (connection.ended) drop(connection);
      return false;
    }
    connection.request_began = Clock::now();
    if (taken->error != 0) {
      connection.out = refusal_of(taken->error);
    } else {
      connection.answering = true;
      answerers_.ask(id, std::move(taken->request));
    }
    return true;
  }

  static bool read_some(Connection& connection) {
    std::array<char, 8 << 10> piece{};
    const ssize_t got = ::recv(connection.socket.get(), piece.data(), piece.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got < 0) drop(connection);
    if (got <= 0) return !std::exchange(connection.ended, true) && got == 0;
    if (connection.in.empty()) connection.request_began = Clock::now();
    connection.in.append(piece.data(), static_cast<std::size_t>(got));
    connection.heard = Clock::now();
    return true;
  }

  // One piece of it.
  static bool send_some(Connection& connection) {
    Outgoing& out = *connection.out;
    ssize_t sent = 0;
    if (out.sent < out.text.size()) {
      sent = ::send(connection.socket.get(), out.text.data() + out.sent, out.text.size() - out.sent,
                    MSG_NOSIGNAL);
      if (sent > 0) out.sent += static_cast<std::size_t>(sent);
    } else if (out.left > 0) {
      constexpr std::uint64_t kPiece = 1 << 20;
      auto from = static_cast<off_t>(out.from);
      sent = ::sendfile(connection.socket.get(), out.file.get(), &from, std::min(out.left, kPiece));
      if (sent > 0) {
        out.from += static_cast<std::uint64_t>(sent);
        out.left -= static_cast<std::uint64_t>(sent);
      }
      if (sent == 0) drop(connection);  // the file became shorter
    } else {
      return end_of_answer(connection);
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) drop(connection);
    if (sent > 0) connection.heard = Clock::now();
    return sent > 0;
  }
  static bool end_of_answer(Connection& connection) {
    const bool goes_on = connection.out->keep_alive;
    connection.out.reset();
    connection.heard = connection.request_began = Clock::now();
    if (goes_on) return true;
    // What the client still sends is read for a moment, lest it lose the answer to a reset.
    ::shutdown(connection.socket.get(), SHUT_WR);
    std::array<char, 4 << 10> rest{};
    for (int i = 0; i < 64 && ::recv(connection.socket.get(), rest.data(), rest.size(), 0) > 0; ++i) {
    }
    drop(connection);
    return false;
  }

  void drop_the_silent() {
    const Clock::time_point now = Clock::now();
    std::erase_if(connections_,
                  [&](const auto& one) { return gone(one.second) || one.second.out_of_time(now); });
  }
  void drop_the_most_silent() {
    const auto silent = std::ranges::min_element(connections_, {}, [](const auto& one) {
      return one.second.answering ? Clock::time_point::max() : one.second.heard;
    });
    if (silent != connections_.end()) connections_.erase(silent);
  }

  Descriptor listener_;
  Descriptor wake_;
  Connections connections_;
  std::uint64_t last_id_ = 0;
  std::vector<pollfd> polled_;
  std::atomic<bool> stopped_ = false;
  Answerers answerers_;  // last: its threads use what is above
};

HttpServer::HttpServer(const std::string& address, int port, Answer answer) {
  Descriptor socket = bound_socket(address, port);
  if (socket.get() < 0)
    throw UserError({.key = "--port"}, fmt::format("{} port {} is in use, or not ours to use", address, port),
                    "name another port, or --port 0 for any free one");
  port_ = port_of(socket);
  loop_ = std::make_unique<Loop>(std::move(socket), std::move(answer));
}

HttpServer::~HttpServer() = default;
void HttpServer::run() { loop_->run(); }
void HttpServer::stop() { loop_->stop(); }

}  // namespace overture::serve
