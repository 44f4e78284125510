// Runs that make sense, made from the fuzzer's bytes: every byte is a choice among what users can write, so
// nearly every input is simulated. run.cpp starts from the files instead.
#include <array>
#include <string>

#include "run_checks.h"
#include "targets.h"

#include "overture/formats/astra/network_json.h"

using namespace overture;

namespace {

using system::CollectiveKind;
using workload::Parallelism;

constexpr int kMostRanks = 16;
constexpr std::int64_t kMostChunks = 8;

// Numbers from the bytes, one after the other; zeros once they are used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  // Of so many bytes, the lowest first.
  std::uint32_t number(int bytes) {
    std::uint32_t made = 0;
    for (int i = 0; i < bytes && left_ > 0; ++i, --left_) made |= std::uint32_t{*data_++} << (8 * i);
    return made;
  }
  int from_to(int least, int most) {
    const auto values = static_cast<std::uint32_t>(most - least) + 1;
    return least + static_cast<int>(number(values > 256 ? 2 : 1) % values);
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

class Maker {
 public:
  Maker(const std::uint8_t* data, std::size_t size) : choices_(data, size) {}

  simulation::SimulationConfig config() {
    simulation::SimulationConfig made;
    const network::AnalyticalConfig analytical = network();
    made.network = analytical;
    made.system = system(analytical.dimensions.size());
    made.workload = workload();
    made.passes = number(1, 2);
    made.step = Nanoseconds{number(0, 1)};
    return made;
  }

 private:
  int number(int least, int most) { return choices_.from_to(least, most); }
  bool maybe() { return number(0, 1) == 1; }
  template <class E>
  E one_of(E last) {
    return static_cast<E>(number(0, static_cast<int>(last)));
  }

  network::AnalyticalConfig network() {
    network::AnalyticalConfig made;
    made.contention = one_of(network::Contention::links);
    int ranks = 1;
    for (int d = number(1, 3); d > 0; --d) {
      network::DimensionConfig dimension;
      dimension.kind = one_of(topology::DimensionKind::switched);
      dimension.size = number(1, kMostRanks / ranks);
      ranks *= dimension.size;
      dimension.links = number(1, 2) * 2 * dimension.size;
      dimension.link_latency_ns = number(0, 400) / 4.0;
      dimension.link_gib_per_s = number(1, 400) / 4.0;
      dimension.nic_latency_ns = number(0, 20) / 4.0;
      dimension.router_latency_ns = number(0, 20) / 4.0;
      dimension.memory_scale = maybe() ? number(0, 8) / 4.0 : 0;
      dimension.memory_latency_ns = number(0, 100) / 4.0;
      dimension.memory_bytes_per_ns = number(1, 400) / 4.0;
      network::check_dimension(dimension, "made", "dimension");
      made.dimensions.push_back(dimension);
    }
    return made;
  }

  system::Implementation implementation(CollectiveKind kind, std::size_t dimensions) {
    system::Implementation made;
    made.flat = number(0, 3) == 0;
    for (std::size_t d = 0; d < (made.flat ? 1 : dimensions); ++d) {
      system::Algorithm algorithm{*system::kAlgorithms[static_cast<std::size_t>(number(0, 4))]};
      const bool for_all_to_all = algorithm.kind == system::kRing || algorithm.kind == system::kDirect;
      if (kind == CollectiveKind::all_to_all && !for_all_to_all) algorithm.kind = system::kDirect;
      if (made.flat && algorithm.kind == system::kDoubleBinaryTree) algorithm.kind = system::kRing;
      if (algorithm.kind == system::kDirect) algorithm.window = number(0, 4);
      made.per_dimension.push_back(algorithm);
    }
    return made;
  }

  system::SystemConfig system(std::size_t dimensions) {
    system::SystemConfig made;
    made.scheduling = maybe() ? system::SchedulingPolicy::lifo : system::SchedulingPolicy::fifo;
    made.endpoint_delay = Nanoseconds{number(0, 20)};
    made.active_chunks = number(1, 5);
    made.splits = number(1, static_cast<int>(kMostChunks));
    made.queues_per_dimension = number(1, 3);
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                            CollectiveKind::all_gather, CollectiveKind::all_to_all}) {
      made.implementation(kind) = implementation(kind, dimensions);
    }
    made.optimization = one_of(system::Optimization::local_bandwidth_aware);
    made.intra_order = one_of(system::IntraOrder::less_remaining_phase_first);
    made.inter_order = one_of(system::InterOrder::themis_flex);
    made.rendezvous = number(0, 3) == 0;
    if (number(0, 7) == 0) {
      made.shared_bus = system::SharedBus{.latency = Nanoseconds{number(0, 20)},
                                          .overhead = Nanoseconds{number(0, 20)},
                                          .gap = Nanoseconds{number(0, 20)},
                                          .gap_per_byte_ns = number(0, 20) / 100.0,
                                          .local_reduction = Nanoseconds{number(0, 3)}};
    }
    made.cycle = maybe() ? Duration{Nanoseconds{1}} : Duration{1};
    return made;
  }

  workload::Pass pass() {
    workload::Pass made;
    made.compute = Nanoseconds{number(0, 3) == 0 ? 0 : number(0, 2000)};
    if (maybe()) {
      const Bytes size{1 + (choices_.number(4) >> number(12, 31))};
      made.communication = workload::Communication{one_of(CollectiveKind::reduce_scatter), size};
    }
    return made;
  }

  workload::Workload workload() {
    workload::Workload made;
    made.parallelism = one_of(Parallelism::hybrid_customized);
    made.model_group = number(1, kMostRanks);
    const int layers = number(1, 4);
    for (int l = 0; l < layers; ++l) {
      workload::Layer layer{.name = "layer" + std::to_string(l)};
      layer.forward = pass();
      layer.input_gradient = pass();
      layer.weight_gradient = pass();
      layer.update = Nanoseconds{number(0, 20)};
      constexpr std::array kOwn{Parallelism::data, Parallelism::model, Parallelism::hybrid_data_model,
                                Parallelism::hybrid_model_data};
      layer.parallelism = kOwn[static_cast<std::size_t>(number(0, 3))];
      made.layers.push_back(layer);
    }
    made.last_bottom_layer = number(0, layers - 1);
    if (made.parallelism == Parallelism::hybrid_transformer_fwd_in_bckwd && layers > 1) {
      made.checkpoints = {number(0, layers - 2)};
      made.recompute_starts = {number(made.checkpoints[0] + 1, layers - 1)};
    }
    workload::check_workload(made, {.file = "made"});
    return made;
  }

  Choices choices_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simulation::SimulationConfig config;
  if (fuzz::accepts([&] { config = Maker(data, size).config(); })) fuzz::check_run(config);
  return 0;
}
