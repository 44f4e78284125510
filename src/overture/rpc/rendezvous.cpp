#include "overture/rpc/rendezvous.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace overture::rpc {
namespace {

// What is spoken, before and after all have met; a change of either changes the number.
constexpr const char* kSpoken = "overture parties 1";
constexpr long kLastWordsMilliseconds = 300;
constexpr const char* kYes = "yes";
constexpr const char* kNo = "no";

std::string endpoint(const std::string& ip, int port) { return "tcp://" + ip + ":" + std::to_string(port); }

bool is_loopback(const std::string& ip) { return ip.starts_with("127.") || ip == "::1"; }

long milliseconds(std::chrono::steady_clock::duration left) {
  return std::max<long>(0, std::chrono::duration_cast<std::chrono::milliseconds>(left).count());
}

bool readable(void* socket, long milliseconds) {
  zmq_pollitem_t item{.socket = socket, .fd = 0, .events = ZMQ_POLLIN, .revents = 0};
  return zmq_poll(&item, 1, milliseconds) > 0;
}

bool readable(void* one, void* other, long milliseconds) {
  zmq_pollitem_t items[] = {{.socket = one, .fd = 0, .events = ZMQ_POLLIN, .revents = 0},
                            {.socket = other, .fd = 0, .events = ZMQ_POLLIN, .revents = 0}};
  return zmq_poll(items, 2, milliseconds) > 0;
}

}  // namespace

Host::Host(void* context, const MeshConfig& config)
    : config_(config),
      socket_(make_socket(context, ZMQ_ROUTER)),
      guests_(static_cast<std::size_t>(config.count)) {
  const std::string place = endpoint("*", config.master_port);
  if (zmq_bind(socket_.get(), place.c_str()) != 0) {
    throw UserError("cannot wait for the others at port " + std::to_string(config.master_port) + ": " +
                        zmq_strerror(zmq_errno()),
                    "end what uses the port, or give all processes another --master-port");
  }
}

std::vector<std::string> Host::gather(int own_port) {
  guests_[0].endpoint = endpoint(config_.master_ip, own_port);
  came_ = 1;
  const auto until = std::chrono::steady_clock::now() + config_.timeout;
  while (came_ < config_.count) {
    if (!readable(socket_.get(), milliseconds(until - std::chrono::steady_clock::now()))) {
      if (std::chrono::steady_clock::now() < until) continue;  // a signal
      refuse_all(missing() + " did not come within " + std::to_string(config_.timeout.count()) + " s");
    }
    std::string address;
    const std::vector<Buffer> frames = receive_frames(socket_.get(), &address);
    const std::string why = welcome(frames, address);
    if (!why.empty()) refuse_all(why);
  }
  std::string all;
  std::vector<std::string> places;
  for (const Guest& guest : guests_) {
    places.push_back(guest.endpoint);
    all += guest.endpoint + "\n";
  }
  for (std::size_t i = 1; i < guests_.size(); ++i) answer(guests_[i].identity, kYes, all);
  return places;
}

std::string Host::welcome(const std::vector<Buffer>& frames, const std::string& address) {
  if (frames.empty()) return {};
  others_.push_back(text_of(frames[0]));
  if (frames.size() != 6) return "somebody at " + address + " does not speak as a party does";
  const std::string spoken = text_of(frames[1]);
  if (spoken != kSpoken)
    return "a party at " + address + " speaks \"" + spoken + "\", the oracle \"" + kSpoken + "\"";
  const int party = std::atoi(text_of(frames[2]).c_str());
  const std::string who = "worker " + std::to_string(party) + " at " + address;
  if (text_of(frames[3]) != std::to_string(config_.count))
    return who + " was started with world-size " + text_of(frames[3]) + ", the oracle with " +
           std::to_string(config_.count);
  if (text_of(frames[4]) != config_.terms)
    return who + " was started with " + text_of(frames[4]) + ", the oracle with " + config_.terms;
  if (party < 1 || party >= config_.count) return who + " is not one of " + std::to_string(config_.count);
  Guest& guest = guests_[static_cast<std::size_t>(party)];
  if (!guest.endpoint.empty())
    return "two processes have worker-id " + std::to_string(party) + ", the second at " + address;
  const std::string ip = is_loopback(address) ? config_.master_ip : address;
  guest = {.identity = text_of(frames[0]), .endpoint = endpoint(ip, std::atoi(text_of(frames[5]).c_str()))};
  ++came_;
  return {};
}

void Host::refuse_all(const std::string& why) {
  for (const std::string& identity : others_) answer(identity, kNo, why);
  throw UserError(why);
}

void Host::refuse_latecomers() {
  for (;;) {
    const std::vector<Buffer> frames = receive_frames(socket_.get());
    if (frames.empty()) return;
    answer(text_of(frames[0]), kNo,
           "the run has begun with all its " + std::to_string(config_.count) + " processes");
  }
}

void Host::answer(const std::string& identity, const std::string& verdict, const std::string& text) {
  send_frame(socket_.get(), identity, true);
  send_frame(socket_.get(), verdict, true);
  send_frame(socket_.get(), text, false);
}

std::string Host::missing() const {
  std::string names;
  for (std::size_t i = 1; i < guests_.size(); ++i) {
    if (guests_[i].endpoint.empty())
      names += (names.empty() ? "" : ", ") + config_.names(Address{static_cast<std::int32_t>(i)}) +
               " (worker-id " + std::to_string(i) + ")";
  }
  return names;
}

std::vector<std::string> visit(void* context, const MeshConfig& config, int own_port) {
  const ZmqSocket socket = make_socket(context, ZMQ_DEALER);
  set_option(socket.get(), ZMQ_LINGER, 0);
  const std::string place = endpoint(config.master_ip, config.master_port);
  // It may start later; but once it has been there, it must stay.
  zmq_socket_monitor(socket.get(), "inproc://watch-host", ZMQ_EVENT_DISCONNECTED);
  const ZmqSocket watch(zmq_socket(context, ZMQ_PAIR));
  zmq_connect(watch.get(), "inproc://watch-host");
  if (zmq_connect(socket.get(), place.c_str()) != 0)
    throw UserError(place + " cannot be reached: " + zmq_strerror(zmq_errno()), "check --master-ip");
  const std::string said[] = {kSpoken, std::to_string(index(config.self)), std::to_string(config.count),
                              config.terms, std::to_string(own_port)};
  for (std::size_t i = 0; i < std::size(said); ++i)
    send_frame(socket.get(), said[i], i + 1 < std::size(said));
  // The oracle says who is missing; it needs a moment more for that.
  const auto until = std::chrono::steady_clock::now() + config.timeout + std::chrono::seconds(3);
  while (!readable(socket.get(), watch.get(), milliseconds(until - std::chrono::steady_clock::now()))) {
    if (std::chrono::steady_clock::now() < until) continue;  // a signal
    throw UserError(
        "no oracle has answered at " + place + " within " + std::to_string(config.timeout.count()) + " s",
        "start it there with --worker-id 0, and check --master-ip and --master-port");
  }
  // What it said last may still be on its way.
  if (!readable(socket.get(), kLastWordsMilliseconds))
    throw std::runtime_error(config.names(Address{0}) + " is gone: its connection is broken");
  const std::vector<Buffer> frames = receive_frames(socket.get());
  if (frames.size() != 2) throw UserError("the program that waits at " + place + " is not an oracle");
  if (text_of(frames[0]) != kYes) throw UserError(text_of(frames[1]));
  std::vector<std::string> places;
  const std::string all = text_of(frames[1]);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    places.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  if (std::ssize(places) != config.count) throw UserError("the oracle knows another number of processes");
  return places;
}

}  // namespace overture::rpc
