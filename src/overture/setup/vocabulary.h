// The vocabulary of setups: for every enumeration the words that a user types for its enumerators.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "overture/network/analytical/config.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/patterns.h"
#include "overture/system/config.h"
#include "overture/workload/dlrm_training.h"
#include "overture/workload/workload.h"

namespace overture::setup {

template <class E>
using Word = std::pair<E, std::string_view>;

// Specialised below for every enumeration that a setup can name.
template <class E>
inline constexpr auto kWords = nullptr;

template <>
inline constexpr auto kWords<topology::DimensionKind> = std::to_array<Word<topology::DimensionKind>>({
    {topology::DimensionKind::ring, "ring"},
    {topology::DimensionKind::fully_connected, "fully_connected"},
    {topology::DimensionKind::switched, "switch"},
});

template <>
inline constexpr auto kWords<network::Packaging> = std::to_array<Word<network::Packaging>>({
    {network::Packaging::tile, "tile"},
    {network::Packaging::node, "node"},
    {network::Packaging::pod, "pod"},
    {network::Packaging::pod_to_pod, "pod_to_pod"},
});

template <>
inline constexpr auto kWords<network::Contention> = std::to_array<Word<network::Contention>>({
    {network::Contention::links, "links"},
    {network::Contention::none, "none"},
});

template <>
inline constexpr auto kWords<system::SchedulingPolicy> = std::to_array<Word<system::SchedulingPolicy>>({
    {system::SchedulingPolicy::lifo, "lifo"},
    {system::SchedulingPolicy::fifo, "fifo"},
});

template <>
inline constexpr auto kWords<system::Optimization> = std::to_array<Word<system::Optimization>>({
    {system::Optimization::baseline, "baseline"},
    {system::Optimization::local_bandwidth_aware, "local_bandwidth_aware"},
});

template <>
inline constexpr auto kWords<system::IntraOrder> = std::to_array<Word<system::IntraOrder>>({
    {system::IntraOrder::fifo, "fifo"},
    {system::IntraOrder::rg, "rg"},
    {system::IntraOrder::smallest_first, "smallest_first"},
    {system::IntraOrder::less_remaining_phase_first, "less_remaining_phase_first"},
});

template <>
inline constexpr auto kWords<system::InterOrder> = std::to_array<Word<system::InterOrder>>({
    {system::InterOrder::ascending, "ascending"},
    {system::InterOrder::round_robin, "round_robin"},
    {system::InterOrder::themis, "themis"},
    {system::InterOrder::themis_flex, "themis_flex"},
});

template <>
inline constexpr auto kWords<system::CollectiveKind> = std::to_array<Word<system::CollectiveKind>>({
    {system::CollectiveKind::all_reduce, "all_reduce"},
    {system::CollectiveKind::all_to_all, "all_to_all"},
    {system::CollectiveKind::all_gather, "all_gather"},
    {system::CollectiveKind::reduce_scatter, "reduce_scatter"},
    {system::CollectiveKind::broadcast, "broadcast"},
    {system::CollectiveKind::barrier, "barrier"},
});

template <>
inline constexpr auto kWords<workload::Parallelism> = std::to_array<Word<workload::Parallelism>>({
    {workload::Parallelism::micro, "micro"},
    {workload::Parallelism::data, "data"},
    {workload::Parallelism::model, "model"},
    {workload::Parallelism::distributed_inference, "distributed_inference"},
    {workload::Parallelism::hybrid_data_model, "hybrid_data_model"},
    {workload::Parallelism::hybrid_model_data, "hybrid_model_data"},
    {workload::Parallelism::hybrid_transformer, "hybrid_transformer"},
    {workload::Parallelism::hybrid_transformer_fwd_in_bckwd, "hybrid_transformer_fwd_in_bckwd"},
    {workload::Parallelism::hybrid_dlrm, "hybrid_dlrm"},
    {workload::Parallelism::hybrid_dlrm_enhanced, "hybrid_dlrm_enhanced"},
    {workload::Parallelism::hybrid_customized, "hybrid_customized"},
    {workload::Parallelism::dlrm, "dlrm"},
});

template <>
inline constexpr auto kWords<model::NumberType> = std::to_array<Word<model::NumberType>>({
    {model::NumberType::fp32, "fp32"},
    {model::NumberType::fp16, "fp16"},
    {model::NumberType::bf16, "bf16"},
    {model::NumberType::fp8, "fp8"},
});

template <>
inline constexpr auto kWords<model::Interaction> = std::to_array<Word<model::Interaction>>({
    {model::Interaction::cat, "cat"},
    {model::Interaction::dot, "dot"},
});

template <>
inline constexpr auto kWords<model::PlacementRule> = std::to_array<Word<model::PlacementRule>>({
    {model::PlacementRule::round_robin, "round_robin"},
    {model::PlacementRule::size_balanced, "size_balanced"},
});

template <>
inline constexpr auto kWords<workload::TableSharding> = std::to_array<Word<workload::TableSharding>>({
    {workload::TableSharding::table_wise, "table_wise"},
    {workload::TableSharding::column_wise, "column_wise"},
    {workload::TableSharding::row_wise, "row_wise"},
    {workload::TableSharding::data_parallel, "data_parallel"},
});

template <>
inline constexpr auto kWords<workload::DenseParallelism> = std::to_array<Word<workload::DenseParallelism>>({
    {workload::DenseParallelism::data_parallel, "data_parallel"},
    {workload::DenseParallelism::sharded, "sharded"},
});

template <>
inline constexpr auto kWords<network::packet::MarkAt> = std::to_array<Word<network::packet::MarkAt>>({
    {network::packet::MarkAt::enqueue, "enqueue"},
    {network::packet::MarkAt::dequeue, "dequeue"},
});

template <>
inline constexpr auto kWords<network::packet::CongestionControl> = network::packet::kControlWords;

template <>
inline constexpr auto kWords<network::ConnectionUse> = std::to_array<Word<network::ConnectionUse>>({
    {network::ConnectionUse::per_pair, "per_pair"},
    {network::ConnectionUse::per_message, "per_message"},
});

template <>
inline constexpr auto kWords<network::packet::TransportKind> =
    std::to_array<Word<network::packet::TransportKind>>({
        {network::packet::TransportKind::tcp, "tcp"},
        {network::packet::TransportKind::ndp, "ndp"},
        {network::packet::TransportKind::roce, "roce"},
        {network::packet::TransportKind::plain, "plain"},
        {network::packet::TransportKind::htsim_dctcp, "htsim_dctcp"},
    });

template <>
inline constexpr auto kWords<network::packet::LinkControl> =
    std::to_array<Word<network::packet::LinkControl>>({
        {network::packet::LinkControl::none, "none"},
        {network::packet::LinkControl::pfc, "pfc"},
        {network::packet::LinkControl::credits, "credits"},
    });

template <>
inline constexpr auto kWords<network::packet::RateControl> =
    std::to_array<Word<network::packet::RateControl>>({
        {network::packet::RateControl::none, "none"},
        {network::packet::RateControl::dcqcn, "dcqcn"},
    });

template <>
inline constexpr auto kWords<network::packet::CompleteAt> = std::to_array<Word<network::packet::CompleteAt>>({
    {network::packet::CompleteAt::delivery, "delivery"},
    {network::packet::CompleteAt::last_ack, "last_ack"},
});

template <>
inline constexpr auto kWords<topology::PathRule> = std::to_array<Word<topology::PathRule>>({
    {topology::PathRule::by_destination, "by_destination"},
    {topology::PathRule::hash_per_flow, "hash_per_flow"},
    {topology::PathRule::spray, "spray"},
});

template <>
inline constexpr auto kWords<network::packet::AllToAllOrder> =
    std::to_array<Word<network::packet::AllToAllOrder>>({
        {network::packet::AllToAllOrder::rotated, "rotated"},
        {network::packet::AllToAllOrder::naive, "naive"},
    });

}  // namespace overture::setup
