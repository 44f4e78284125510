#include "overture/system/config.h"

namespace overture::system {

std::string_view name(AlgorithmKind kind) {
  switch (kind) {
    case AlgorithmKind::ring: return "ring";
    case AlgorithmKind::direct: return "direct";
    case AlgorithmKind::naive_direct: return "naive_direct";
    case AlgorithmKind::halving_doubling: return "halving_doubling";
    case AlgorithmKind::double_binary_tree: return "double_binary_tree";
    case AlgorithmKind::pairwise: return "pairwise";
    case AlgorithmKind::bruck: return "bruck";
    case AlgorithmKind::lockstep_ring: return "lockstep_ring";
    case AlgorithmKind::parameter_server: return "parameter_server";
    case AlgorithmKind::distributed_parameter_server: return "distributed_parameter_server";
    case AlgorithmKind::binomial_tree: return "binomial_tree";
    case AlgorithmKind::dissemination: return "dissemination";
    case AlgorithmKind::from_file: return "file";
  }
  return "?";
}

bool can_do(AlgorithmKind algorithm, CollectiveKind kind) {
  switch (algorithm) {
    case AlgorithmKind::ring:
    case AlgorithmKind::direct:
    case AlgorithmKind::naive_direct:
      return kind != CollectiveKind::broadcast && kind != CollectiveKind::barrier;
    case AlgorithmKind::halving_doubling:
      return kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
             kind == CollectiveKind::reduce_scatter;
    case AlgorithmKind::pairwise:
    case AlgorithmKind::bruck: return kind == CollectiveKind::all_to_all;
    case AlgorithmKind::double_binary_tree:
    case AlgorithmKind::lockstep_ring:
    case AlgorithmKind::parameter_server:
    case AlgorithmKind::distributed_parameter_server: return kind == CollectiveKind::all_reduce;
    case AlgorithmKind::binomial_tree: return kind == CollectiveKind::broadcast;
    case AlgorithmKind::dissemination: return kind == CollectiveKind::barrier;
    case AlgorithmKind::from_file: return true;  // the steps were checked when they were read
  }
  return false;
}

std::array<Implementation, kCollectiveKinds> default_implementations() {
  std::array<Implementation, kCollectiveKinds> implementations;
  implementations[static_cast<std::size_t>(CollectiveKind::broadcast)] = {
      .per_dimension = {{.kind = AlgorithmKind::binomial_tree}}, .flat = true};
  implementations[static_cast<std::size_t>(CollectiveKind::barrier)] = {
      .per_dimension = {{.kind = AlgorithmKind::dissemination}}, .flat = true};
  return implementations;
}

}  // namespace overture::system
