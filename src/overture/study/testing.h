// For tests: the smallest part of the Opera study, and what a refusal says.
#pragma once

#include <string>

#include "overture/base/error.h"
#include "overture/study/opera_dlrm_cells.h"

namespace overture::study {

constexpr workload::AllReduce kDps = workload::AllReduce::distributed_parameter_server;

inline MatrixChoice small() {
  return {.nodes = {16}, .models = {"I"}, .variants = {"baseline"}, .backend = StudyBackend::flow};
}

template <class Act>
std::string complaint(Act act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace overture::study
