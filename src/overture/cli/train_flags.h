// The flags of `overture train`: those from facebookresearch/dlrm and from Bagpipe are other names for keys
// of the setup; RunFlags say how a run begins and what it leaves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/cli/command.h"
#include "overture/cli/output.h"

namespace overture::cli {

struct TrainFlags {
  struct Given {
    std::string key;  // of the setup
    std::string value;
  };
  std::vector<std::unique_ptr<Given>> given;  // their addresses stay
  struct IdleFlag {
    bool given = false;
    std::string value;
  };
  std::vector<std::unique_ptr<IdleFlag>> idle;
  bool interaction_itself = false;
  std::string optimizer;
  std::string emb_info_file;
  std::string filter_range;
  std::string device;
  std::string loss_function;
  std::string logging_prefix;

  // --world-size-trainers says how many trainers there are, beside its part in finding them.
  void take(const std::optional<int>& trainers);
  // Of flags that were given and need nothing here: why, a line each.
  std::vector<std::string> notes() const;
  // Assignments as after -s, of the flags that were given.
  std::vector<std::string> assignments() const;
};

void add_train_flags(Command& command, TrainFlags& flags);

struct RunFlags {
  std::vector<std::string> overrides;
  Output output;
  std::string weights;
  bool resume = false;
  bool tensorboard = false;
  bool record = false;

  // As they are given to another program.
  std::vector<std::string> words() const;
};

void add_run_flags(Command& command, RunFlags& flags);

}  // namespace overture::cli
