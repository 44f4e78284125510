#include "overture/workload/names.h"

#include <array>
#include <utility>

namespace overture::workload {
namespace {

using system::CollectiveKind;

constexpr std::array kParallelism{
    std::pair{Parallelism::micro, std::string_view{"MICRO"}},
    std::pair{Parallelism::data, std::string_view{"DATA"}},
    std::pair{Parallelism::model, std::string_view{"MODEL"}},
    std::pair{Parallelism::distributed_inference, std::string_view{"DISTRIBUTED_INFERENCE"}},
    std::pair{Parallelism::hybrid_data_model, std::string_view{"HYBRID_DATA_MODEL"}},
    std::pair{Parallelism::hybrid_model_data, std::string_view{"HYBRID_MODEL_DATA"}},
    std::pair{Parallelism::hybrid_transformer, std::string_view{"HYBRID_TRANSFORMER"}},
    std::pair{Parallelism::hybrid_transformer_fwd_in_bckwd,
              std::string_view{"HYBRID_TRANSFORMER_FWD_IN_BCKWD"}},
    std::pair{Parallelism::hybrid_dlrm, std::string_view{"HYBRID_DLRM"}},
    std::pair{Parallelism::hybrid_dlrm_enhanced, std::string_view{"HYBRID_DLRM_ENHANCED"}},
    std::pair{Parallelism::hybrid_customized, std::string_view{"HYBRID_CUSTOMIZED"}},
};

constexpr std::array kCollectives{
    std::pair{CollectiveKind::all_reduce, std::string_view{"ALLREDUCE"}},
    std::pair{CollectiveKind::all_to_all, std::string_view{"ALLTOALL"}},
    std::pair{CollectiveKind::all_gather, std::string_view{"ALLGATHER"}},
    std::pair{CollectiveKind::reduce_scatter, std::string_view{"REDUCESCATTER"}},
};

template <class Names, class T>
std::string_view name_of(const Names& names, T value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "?";
}

template <class T, class Names>
std::optional<T> value_of(const Names& names, std::string_view word) {
  for (const auto& [value, name] : names) {
    if (name == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view astra_name(Parallelism parallelism) {
  if (parallelism == Parallelism::dlrm) return "DLRM";  // for messages: no file of ASTRA-sim's has it
  return name_of(kParallelism, parallelism);
}
std::optional<Parallelism> parse_parallelism(std::string_view word) {
  return value_of<Parallelism>(kParallelism, word);
}

std::vector<std::string> parallelism_names() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kParallelism) names.emplace_back(name);
  return names;
}

bool allowed_per_layer(Parallelism parallelism) {
  return parallelism == Parallelism::data || parallelism == Parallelism::model ||
         parallelism == Parallelism::hybrid_data_model || parallelism == Parallelism::hybrid_model_data;
}

std::string_view astra_name(CollectiveKind kind) { return name_of(kCollectives, kind); }
std::optional<CollectiveKind> parse_collective(std::string_view word) {
  return value_of<CollectiveKind>(kCollectives, word);
}

}  // namespace overture::workload
