#include "overture/rpc/doorbell.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace overture::rpc {
namespace {

struct BellAddress {
  sockaddr_un name{};
  socklen_t size = 0;
};

// In the kernel's own name space, which no file outlives.
BellAddress bell_of(std::int64_t process) {
  const std::string text = "overture-bell-" + std::to_string(process);
  BellAddress address;
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path + 1, text.data(), text.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

}  // namespace

Doorbell::Doorbell() : inside_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (inside_ < 0) throw std::runtime_error(std::string("cannot make an eventfd: ") + std::strerror(errno));
  outside_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const BellAddress own = bell_of(getpid());
  if (outside_ >= 0 && bind(outside_, reinterpret_cast<const sockaddr*>(&own.name), own.size) != 0) {
    close(outside_);
    outside_ = -1;
  }
}

Doorbell::~Doorbell() {
  close(inside_);
  if (outside_ >= 0) close(outside_);
}

void Doorbell::ring() const { eventfd_write(inside_, 1); }

// A bell whose queue is full has been rung.
bool Doorbell::ring(std::int64_t process) const {
  if (outside_ < 0) return false;
  const BellAddress other = bell_of(process);
  const char byte = 0;
  return sendto(outside_, &byte, 1, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&other.name),
                other.size) == 1 ||
         errno == EAGAIN;
}

bool Doorbell::wait(std::chrono::microseconds most) const {
  std::array<pollfd, 2> bells{pollfd{.fd = inside_, .events = POLLIN, .revents = 0},
                              pollfd{.fd = outside_, .events = POLLIN, .revents = 0}};
  const timespec limit{.tv_sec = most.count() / 1'000'000, .tv_nsec = most.count() % 1'000'000 * 1000};
  if (ppoll(bells.data(), bells.size(), &limit, nullptr) <= 0) return false;
  eventfd_t rings = 0;
  if (bells[0].revents != 0) eventfd_read(inside_, &rings);
  std::array<mmsghdr, 8> taken{};  // one is a ring as good as many; those that are left wake at once
  if (bells[1].revents != 0) recvmmsg(outside_, taken.data(), taken.size(), MSG_DONTWAIT, nullptr);
  return true;
}

}  // namespace overture::rpc
