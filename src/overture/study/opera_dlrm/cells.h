// The matrix of the Opera study as cells: one model on one network with one all-reduce, run once. A cell's
// name says all that its result depends on, so that a finished one is never run again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/model/published.h"
#include "overture/study/opera_dlrm/knobs.h"
#include "overture/study/opera_dlrm/setting.h"
#include "overture/system/rounds.h"

namespace overture::study::opera_dlrm {

// Another one is: an entry here, a row of names (cells.cpp) and a builder
// (networks.cpp).
enum class StudyNetwork : std::uint8_t { fat_tree, topoopt, opera };
enum class StudyBackend : std::uint8_t { flow, packet };

inline constexpr system::AlgorithmKind kRing = system::kLockstepRing;
inline constexpr system::AlgorithmKind kDps = system::kDistributedParameterServer;

struct Cell {
  std::string model = "A";
  std::string variant = "baseline";
  int nodes = 16;
  StudyNetwork network = StudyNetwork::fat_tree;
  system::AlgorithmKind all_reduce = system::kLockstepRing;
  StudyBackend backend = StudyBackend::packet;
  Setting setting = Setting::sound();
  int seed = 1;
  Changes changes{};  // of what was published

  friend bool operator==(const Cell&, const Cell&) = default;
};

std::string_view name(StudyNetwork network);
std::string_view name(StudyBackend backend);
std::string_view all_reduce_name(system::AlgorithmKind all_reduce);
// Throw UserError, with what would work.
StudyNetwork parse_network(std::string_view word);
StudyBackend parse_backend(std::string_view word);
system::AlgorithmKind parse_all_reduce(std::string_view word);

// "A.baseline.16.fat-tree.ring.packet.sound.1", and what is changed: ".tables=200.placement=size-balanced".
std::string name(const Cell& cell);
// Throws UserError when a part is unknown or the cell cannot run.
Cell parse_cell(std::string_view name);
// The published variant that a cell is of, with the cell's batch and feature size. Throws UserError when the
// model has no such variant.
model::PublishedVariant variant_of(const Cell& cell);
int tables_of(const Cell& cell);
// A rotor's change, if nothing else is said: the default of topology::OperaConfig.
constexpr std::int64_t kReconfigurationUs = 10;
// Throws UserError when no backend or network can run it.
void require_runnable(const Cell& cell);
// The same question, for those who leave out what cannot run.
bool is_runnable(const Cell& cell);

// As the evaluation's scripts name a variant: baseline, bs1k, bs2k, fs40, fs93. Others keep their name.
std::string short_name(std::string_view variant);
// The other way: what the paper's matrix calls bs1k, and so on. Others keep their name.
std::string long_name(std::string_view variant);

// Which part of the matrix; what is empty stands for all.
struct MatrixChoice {
  std::vector<int> nodes;
  std::vector<std::string> models;
  std::vector<std::string> variants;
  std::vector<StudyNetwork> networks;
  std::vector<system::AlgorithmKind> all_reduces;
  std::vector<int> tables;  // for the sweep over the number of tables
  StudyBackend backend = StudyBackend::flow;
  Setting setting = Setting::sound();
  int seeds = 1;
};

// In the order of publication. Where no all-reduce is chosen, ring and DPS, and on TopoOpt, which is made of
// rings, the ring alone. Variants may have their short names. Leaves out what cannot run: TopoOpt as a fluid
// on more than 16 nodes. Throws UserError for unknown names and when nothing is left.
std::vector<Cell> matrix(const MatrixChoice& asked);

}  // namespace overture::study::opera_dlrm
