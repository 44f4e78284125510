// The message in which the first trainer gives the oracle the dense part for a checkpoint.
#pragma once

#include "overture/rpc/wire.h"
#include "overture/train/learner.h"
#include "overture/train/messages.h"

namespace overture::train {

inline rpc::Message dense_state_message(Learner& learner, const Parties& parties) {
  rpc::Message state = make_message(Kind::dense_state, parties.oracle(), 0);
  rpc::WireWriter writer(state.payload);
  writer.put(std::span<const float>(learner.parameters().values()));
  writer.put(std::span<const float>(learner.optimizer().state()));
  writer.put(std::string());  // nothing of anybody else's
  return state;
}

}  // namespace overture::train
