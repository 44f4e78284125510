#include "overture/study/live/namespaces.h"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace overture::study {
namespace {

bool shell(const std::string& line) {
  return std::system(("PATH=$PATH:/usr/sbin:/sbin; (" + line + ") >/dev/null 2>&1").c_str()) == 0;
}

constexpr int kLargestSegment = 15'000;  // bytes; below the bucket

// A bucket of a few frames, so that short messages feel the rate, too; a queue long enough that TCP loses
// none.
std::string limit(Bandwidth rate) {
  return fmt::format(" root tbf rate {}bit burst 16kb latency 2s", rate.bits_per_second());
}

}  // namespace

Namespaces::Namespaces(int hosts, Bandwidth rate)
    : prefix_(fmt::format("ovl{}", getpid() % 100000)), hosts_(hosts) {
  made_ = shell(fmt::format(
      "ip netns add {0} && ip -n {0} link add br0 type bridge && ip -n {0} link set br0 up", switch_name()));
  for (int host = 0; made_ && host < hosts; ++host) made_ = add(host, rate);
}

Namespaces::~Namespaces() {
  for (int host = 0; host < hosts_; ++host) shell("ip netns del " + name(host));
  shell("ip netns del " + switch_name());
}

bool Namespaces::add(int host, Bandwidth rate) const {
  const std::string port = fmt::format("p{}", host);
  const std::string at = name(host);
  const bool joined =
      shell(fmt::format("ip netns add {0} && ip link add eth0 netns {0} type veth peer name {1} netns {2} && "
                        "ip -n {2} link set {1} master br0 up && ip -n {0} addr add {3}/24 dev eth0 && "
                        "ip -n {0} link set eth0 up && ip -n {0} link set lo up",
                        at, port, switch_name(), address(host)));
  // Linux's own default, whatever this machine's is: bbr, for one, holds its bytes back by timers, which
  // compute.
  shell(fmt::format("ip netns exec {} sh -c 'echo cubic > /proc/sys/net/ipv4/tcp_congestion_control'", at));
  if (!joined || rate == Bandwidth{}) return joined;
  // Segments as large as the bucket pass whole, as through an interface that cuts them itself. Cut by tbf
  // into frames, a gigabit a second would keep half a core of this machine busy.
  shell(fmt::format("ip -n {0} link set eth0 gso_max_size {2} && ip -n {1} link set {3} gso_max_size {2}", at,
                    switch_name(), kLargestSegment, port));
  return shell(fmt::format("tc -n {} qdisc add dev eth0{}", at, limit(rate))) &&
         shell(fmt::format("tc -n {} qdisc add dev {}{}", switch_name(), port, limit(rate)));
}

}  // namespace overture::study
