#include "overture/train/session.h"

#include <utility>

#include "overture/rpc/in_process.h"
#include "overture/train/checkpoint.h"
#include "overture/train/crew.h"
#include "overture/train/oracle.h"

namespace overture::train {
namespace {

TrainConfig validated(TrainConfig config) {
  validate(config);
  return config;
}

}  // namespace

Session::Session(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(validated(std::move(config))) {
  CheckpointInfo info;
  if (!checkpoint.empty()) info = read_manifest(config_, checkpoint);
  first_step_ = info.steps;
  first_sample_ = info.samples;
  for (int party = 1; party < config_.parties().count(); ++party)
    parties_.push_back(make_party(config_, rpc::Address{party}, checkpoint, info));
}

Session::~Session() = default;

RunResult Session::run(data::BatchSource& source, const RunOptions& options) {
  source.skip(first_step_);
  const Parties parties = config_.parties();
  rpc::InProcess network(links_of(config_, parties_));
  Oracle oracle(config_, source, options, first_step_, first_sample_);
  Crew crew(network, config_, first_step_);
  for (std::size_t i = parties_.size(); i > 0; --i)
    crew.add(*parties_[i - 1].party, rpc::Address{static_cast<std::int32_t>(i)});
  crew.add(oracle, parties.oracle());
  crew.join();
  return {.steps = oracle.steps_done(),
          .stopped_early = oracle.stopped_early(),
          .checkpoint = oracle.checkpoint()};
}

std::vector<float> Session::row(std::int64_t table, std::int64_t id) {
  return whole_row(parties_, table, id);
}

}  // namespace overture::train
