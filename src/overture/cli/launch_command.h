// What `overture launch` runs on the hosts of a training run.
#pragma once

#include <string>

#include "overture/cli/train_flags.h"
#include "overture/setup/hosts_file.h"

namespace overture::cli {

struct LaunchOptions {
  std::string hosts;
  std::string setup;
  RunFlags run;
  std::string ssh = "ssh -tt -o BatchMode=yes";
  std::string program;
  std::string master_ip;
  int master_port = 18000;
  int timeout = 60;
};

// What the shell at the other end runs, in the same folder as here. `role` is oracle, trainer or server.
std::string launch_command(const LaunchOptions& options, const setup::HostsFile& hosts,
                           const std::string& role, int worker);

}  // namespace overture::cli
