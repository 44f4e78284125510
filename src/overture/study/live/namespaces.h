// Namespaces: a switch and some hosts on this machine, each in a network namespace, joined by veth pairs to a
// bridge, with links that `tc tbf` limits in both directions. Needs ip and tc, and the right to use them.
// What it made goes with it.
#pragma once

#include <string>
#include <vector>

#include "overture/base/units.h"

namespace overture::study {

class Namespaces {
 public:
  // A rate of 0 is no limit.
  Namespaces(int hosts, Bandwidth rate);
  ~Namespaces();
  Namespaces(const Namespaces&) = delete;
  Namespaces& operator=(const Namespaces&) = delete;

  // False: not allowed here, or ip and tc are missing.
  bool made() const { return made_; }
  // What is put in front of a command to run it on a host.
  std::vector<std::string> in(int host) const { return {"ip", "netns", "exec", name(host)}; }
  static std::string address(int host) { return "10.77.0." + std::to_string(host + 1); }

 private:
  std::string name(int host) const { return prefix_ + "-" + std::to_string(host); }
  std::string switch_name() const { return prefix_ + "-sw"; }
  bool add(int host, Bandwidth rate) const;

  std::string prefix_;
  int hosts_;
  bool made_ = false;
};

// What a TCP stream gets of such a link: 1448 of the 1514 bytes of a frame that tbf counts.
inline constexpr double kPayloadShare = 1448.0 / 1514.0;

}  // namespace overture::study
