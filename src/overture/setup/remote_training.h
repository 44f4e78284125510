// Training whose parties are processes of their own. Before it begins, every process tells the oracle with
// which version and setup it was started; the oracle makes one setup of these, or says what differs, and
// tells it to all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "overture/rpc/transport.h"
#include "overture/setup/train_setup.h"
#include "overture/train/checkpoint.h"
#include "overture/train/messages.h"
#include "overture/train/run.h"

namespace overture::setup {

// How a process was started.
struct Started {
  std::string version;                   // of the program
  std::string yaml;                      // its setup file; empty: it had none
  std::vector<std::string> assignments;  // key=value, from its flags
};

// Where the processes of a run meet.
struct Meeting {
  rpc::Transport* transport = nullptr;  // outlives the run
  train::Parties parties;
  rpc::Address self{};
};

// For the oracle: waits for all others and gives the setup of all. With a setup file, what others were
// started with must not change it; without, the flags of all together make the setup. Throws UserError that
// says who differs in what, and train::PartyGone.
TrainSetup gather(const Meeting& meeting, const TrainSetup& own, const Started& started);

// For the others: what the oracle has told.
struct Welcomed {
  train::TrainConfig config;
  std::filesystem::path checkpoint;  // empty: the run starts afresh
  train::CheckpointInfo info;
};
// Says hello, lets `make` make what the welcome asks for, and says so. Whatever is thrown, all learn of it.
void join(const Meeting& meeting, const Started& started, const std::function<void(Welcomed)>& make);
// Takes part until training ends. Throws as train::drive() does.
void take_part(const Meeting& meeting, const Started& started);

class RemoteTraining final : public train::Training {
 public:
  // Lets all others make their tables and models, and waits for them. The setup is that of gather().
  RemoteTraining(const Meeting& meeting, const TrainSetup& setup, const data::Shape& shape,
                 const std::filesystem::path& checkpoint);

  std::int64_t first_step() const override { return info_.steps; }
  train::RunResult run(data::BatchSource& source, const train::RunOptions& options) override;

 private:
  Meeting meeting_;
  train::TrainConfig config_;
  train::CheckpointInfo info_;
};

}  // namespace overture::setup
