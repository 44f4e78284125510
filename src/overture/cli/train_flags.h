// The flags that `overture train` takes from facebookresearch/dlrm and from Bagpipe: other names for keys of
// the setup.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/cli/command.h"

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

}  // namespace overture::cli
