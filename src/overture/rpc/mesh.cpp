#include "overture/rpc/mesh.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <poll.h>

#include "overture/rpc/rendezvous.h"
#include "overture/rpc/wire.h"
#include "overture/rpc/zmq_socket.h"

namespace overture::rpc {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A connection that says nothing for so long is dead: a cable was pulled, a machine has stopped.
constexpr int kHeartbeatMilliseconds = 1000;
constexpr int kSilenceMilliseconds = 5000;
// A party that ends says why; what it said may still be on its way when its connection closes.
constexpr auto kLastWords = 300ms;
// How long what was said last may take to leave. Once somebody is gone it is short: bytes that wait for a
// connection which takes nothing any more would keep a party from ending with the others.
constexpr int kLingerMilliseconds = 5000;
constexpr int kLingerAfterLossMilliseconds = 2000;

enum class Control : std::uint32_t { message, failed, bye };

struct Header {
  std::uint32_t control = 0;
  std::int32_t from = 0;
  std::uint32_t kind = 0;
  std::int32_t gone = 0;  // of `failed`: who
  std::int64_t step = 0;
};

}  // namespace

class Mesh::Sockets {
 public:
  explicit Sockets(const MeshConfig& config)
      : config_(config), inbox_context_(zmq_ctx_new()), context_(zmq_ctx_new()) {
    inbox_ = make_socket(inbox_context_.get(), ZMQ_PULL);
    if (zmq_bind(inbox_.get(), "tcp://*:*") != 0)
      throw UserError(std::string("cannot open a port: ") + zmq_strerror(zmq_errno()));
    const int port = port_of(inbox_.get());
    if (config.self == Address{0}) host_.emplace(context_.get(), config);
    const std::vector<std::string> places = host_ ? host_->gather(port) : visit(context_.get(), config, port);
    peers_.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (static_cast<std::int32_t>(i) != index(config.self)) connect(i, places[i]);
    }
  }

  ~Sockets() {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      say(peers_[i], {.control = static_cast<std::uint32_t>(Control::bye)}, {});
      if (peers_[i].out == nullptr) continue;
      const bool lost = gone_ && static_cast<std::int32_t>(i) == index(gone_->who);
      set_option(peers_[i].out.get(), ZMQ_LINGER,
                 lost    ? 0
                 : gone_ ? kLingerAfterLossMilliseconds
                         : kLingerMilliseconds);
    }
  }

  void send(Message message) {
    const Header header{.kind = message.kind, .step = message.step};
    say(peers_.at(static_cast<std::size_t>(index(message.to))), header, std::move(message.payload));
  }

  Received receive() {
    while (!gone_) {
      if (std::optional<Message> message = take()) return *std::move(message);
      if (gone_) break;
      const std::optional<Suspect> suspect = first_suspect();
      if (suspect && Clock::now() >= suspect->until) {
        lose({suspect->who, "its connection is broken"});
        break;
      }
      wait(suspect);
    }
    return *gone_;
  }

  // Tells all others once.
  void lose(Gone gone) {
    if (gone_) return;
    gone_ = std::move(gone);
    for (const Peer& peer : peers_) {
      Buffer text(gone_->why.size());
      std::memcpy(text.data(), gone_->why.data(), text.size());
      say(peer, {.control = static_cast<std::uint32_t>(Control::failed), .gone = index(gone_->who)},
          std::move(text));
    }
  }

  Address self() const { return config_.self; }

 private:
  struct Peer {
    ZmqSocket out;
    ZmqSocket watch;  // what happens to `out`
    bool left = false;
    std::optional<Clock::time_point> broken = {};  // since when its connection is
  };
  // A party whose connection is broken and that has not said why.
  struct Suspect {
    Address who{};
    Clock::time_point until{};  // then it is gone
  };

  static int port_of(void* socket) {
    char place[256] = {};
    std::size_t size = sizeof place;
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, place, &size);
    return std::atoi(std::strrchr(place, ':') + 1);
  }

  void connect(std::size_t i, const std::string& place) {
    Peer& peer = peers_[i];
    peer.out = make_socket(context_.get(), ZMQ_PUSH);
    set_option(peer.out.get(), ZMQ_RECONNECT_IVL, -1);
    set_option(peer.out.get(), ZMQ_LINGER, 0);  // until the end: nothing leaves over a broken connection
    set_option(peer.out.get(), ZMQ_CONNECT_TIMEOUT, kSilenceMilliseconds);
    set_option(peer.out.get(), ZMQ_HANDSHAKE_IVL, kSilenceMilliseconds);  // heartbeats begin after it
    set_option(peer.out.get(), ZMQ_HEARTBEAT_IVL, kHeartbeatMilliseconds);
    set_option(peer.out.get(), ZMQ_HEARTBEAT_TIMEOUT, kSilenceMilliseconds);
    // Behind bytes that do not leave no heartbeat does: then it is TCP that looks after the connection.
    set_option(peer.out.get(), ZMQ_TCP_MAXRT, kSilenceMilliseconds);
    const std::string watched = "inproc://watch-" + std::to_string(i);
    zmq_socket_monitor(peer.out.get(), watched.c_str(), ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED);
    peer.watch = ZmqSocket(zmq_socket(context_.get(), ZMQ_PAIR));
    zmq_connect(peer.watch.get(), watched.c_str());
    zmq_connect(peer.out.get(), place.c_str());
  }

  void say(const Peer& peer, Header header, Buffer payload) const {
    if (peer.out == nullptr) return;
    header.from = index(config_.self);
    if (send_frame(peer.out.get(), &header, sizeof header, true))
      send_frame(peer.out.get(), std::move(payload));
  }

  std::optional<Message> take() {
    for (;;) {
      std::vector<Buffer> frames = receive_frames(inbox_.get());
      if (frames.empty()) return std::nullopt;
      if (frames.size() != 2 || frames[0].size() != sizeof(Header)) continue;  // a stranger
      Header header;
      std::memcpy(&header, frames[0].data(), sizeof header);
      if (header.from < 0 || header.from >= config_.count || header.gone < 0 || header.gone >= config_.count)
        continue;
      switch (static_cast<Control>(header.control)) {
        case Control::bye: peers_[static_cast<std::size_t>(header.from)].left = true; break;
        case Control::failed:
          if (!gone_) gone_ = Gone{Address{header.gone}, text_of(frames[1])};
          return std::nullopt;
        default:
          return Message{.from = Address{header.from},
                         .to = config_.self,
                         .kind = header.kind,
                         .step = header.step,
                         .payload = std::move(frames[1])};
      }
    }
  }

  std::optional<Suspect> first_suspect() const {
    std::optional<Suspect> first;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      if (!peers_[i].broken || peers_[i].left) continue;
      const Suspect one{Address{static_cast<std::int32_t>(i)}, *peers_[i].broken + kLastWords};
      if (!first || one.until < first->until) first = one;
    }
    return first;
  }

  // Sleeps on the sockets' own descriptors: zmq_poll would ask every socket several times. A descriptor wakes
  // when something has happened since its socket was asked last, so all are asked after waking.
  void wait(const std::optional<Suspect>& suspect) {
    if (waited_for_.empty()) {
      waited_for_.push_back(wake_of(inbox_.get()));
      for (const Peer& peer : peers_) {
        if (peer.watch != nullptr) waited_for_.push_back(wake_of(peer.watch.get()));
      }
      if (host_) waited_for_.push_back(wake_of(host_->socket()));
      return look_after_all();  // what has happened until now wakes nobody
    }
    const long most =
        suspect ? std::max<long>(1, (suspect->until - Clock::now()) / std::chrono::milliseconds(1)) : -1;
    if (poll(waited_for_.data(), waited_for_.size(), static_cast<int>(most)) <= 0) return;
    if (std::any_of(waited_for_.begin() + 1, waited_for_.end(),
                    [](const pollfd& one) { return one.revents != 0; }))
      look_after_all();
  }

  static pollfd wake_of(void* socket) {
    pollfd wake{.fd = -1, .events = POLLIN, .revents = 0};
    std::size_t size = sizeof wake.fd;
    zmq_getsockopt(socket, ZMQ_FD, &wake.fd, &size);
    return wake;
  }

  void look_after_all() {
    for (Peer& peer : peers_) look_after(peer);
    if (host_) host_->refuse_latecomers();
  }

  static void look_after(Peer& peer) {
    while (peer.watch != nullptr && !receive_frames(peer.watch.get()).empty()) {
      if (!peer.broken) peer.broken = Clock::now();
    }
  }

  const MeshConfig config_;
  // What is said last leaves before the inbox closes, so that nobody sees a party go without a word: sockets
  // that send have a context of their own, which ends first and waits for them.
  ZmqContext inbox_context_;
  ZmqSocket inbox_;
  ZmqContext context_;
  std::optional<Host> host_;
  std::vector<Peer> peers_;         // by party; nothing for oneself
  std::vector<pollfd> waited_for_;  // the inbox first
  std::optional<Gone> gone_;
};

Mesh::Mesh(const MeshConfig& config) : sockets_(std::make_unique<Sockets>(config)) {}
Mesh::~Mesh() = default;

void Mesh::send(Message message) { sockets_->send(std::move(message)); }
Received Mesh::receive() { return sockets_->receive(); }
void Mesh::fail(const std::string& why) { sockets_->lose({sockets_->self(), why}); }

}  // namespace overture::rpc
