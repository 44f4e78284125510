// Names of cells, knobs and settings: what a user types and a folder is called, there and back.
#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/study/opera_dlrm/calibrate.h"
#include "overture/study/opera_dlrm/cells.h"
#include "overture/study/opera_dlrm/headline.h"
#include "overture/study/opera_dlrm/jobs.h"
#include "overture/study/opera_dlrm/testing.h"

namespace overture::study::opera_dlrm {
namespace {

using namespace std::chrono_literals;

template <class Call>
std::string error_of(Call call) {
  return user_error(call);
}

TEST(Knobs, EveryNameReadsBack) {
  for (const Knob knob : all_knobs()) EXPECT_EQ(parse_knob(name(knob)), knob);
  EXPECT_EQ(all_knobs().size(), kKnobs);
  EXPECT_EQ(error_of([] { parse_knob("slice_us"); }),
            "unknown axis \"slice_us\"\n  did you mean \"slice-us\"? known: tables, batch, feature-size, "
            "column-spread, "
            "placement, slice-us, reconfiguration-us, bulk-threshold-kb");
}

TEST(Knobs, OnlyRotorsHaveSlices) {
  for (const Knob knob : all_knobs()) {
    const bool rotors =
        knob == Knob::slice_us || knob == Knob::reconfiguration_us || knob == Knob::bulk_threshold_kb;
    EXPECT_EQ(is_of_rotors(knob), rotors) << name(knob);
    EXPECT_FALSE(changes_work(knob) && rotors) << name(knob);
  }
}

// Any set of changes, as text and back.
TEST(Changes, SurviveTheirText) {
  RandomStream random = RandomStreams(1).make("changes");
  for (int round = 0; round < 200; ++round) {
    Changes changes;
    for (const Knob knob : all_knobs()) {
      if (random.below(2) == 0) continue;
      if (knob == Knob::placement) {
        changes.set(knob, random.below(2) == 0 ? "round-robin" : "size-balanced");
      } else {
        changes.set(knob, std::to_string(1 + random.below(60)));
      }
    }
    Changes again;
    const std::string text = changes.text();
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('.', start), text.size());
      again.add(std::string_view(text).substr(start, end - start));
      start = end + 1;
    }
    EXPECT_EQ(again, changes) << text;
    EXPECT_EQ(text.empty(), changes.empty());
  }
}

TEST(Changes, HaveLimitsAndComeOnce) {
  const auto adding = [](const std::string& part) { return user_error([&] { Changes{}.add(part); }); };
  EXPECT_EQ(adding("tables"), "\"tables\" changes nothing\n  write a name and a value: slice-us=40");
  EXPECT_EQ(adding("tables=0"), "tables is a whole number from 1 to 100000, not \"0\"");
  EXPECT_EQ(adding("tables=100001"), "tables is a whole number from 1 to 100000, not \"100001\"");
  EXPECT_EQ(adding("slice-us=1.5"), "slice-us is a whole number from 1 to 1000000, not \"1.5\"");
  EXPECT_EQ(adding("reconfiguration-us=-1"),
            "reconfiguration-us is a whole number from 0 to 1000000, not \"-1\"");
  EXPECT_EQ(adding("placement=best"), "unknown placement \"best\"\n  known: round-robin, size-balanced");
  EXPECT_EQ(adding("tables=1"), "");
  Changes twice;
  twice.add("batch=8");
  EXPECT_EQ(user_error([&] { twice.add("batch=9"); }), "batch appears twice");
  twice.clear(Knob::batch);
  EXPECT_TRUE(twice.empty());
}

TEST(Settings, AreOneStepAtMostFromSoundOrPublished) {
  EXPECT_EQ(Setting::parse("sound"), Setting::sound());
  EXPECT_EQ(Setting::parse("published"), Setting::published());
  for (const Artefact artefact : all_artefacts()) {
    EXPECT_TRUE(Setting::published().has(artefact));
    EXPECT_FALSE(Setting::sound().has(artefact));
    for (const Setting& setting : {Setting::sound().with(artefact), Setting::published().without(artefact)})
      EXPECT_EQ(Setting::parse(setting.name()), setting) << setting.name();
    EXPECT_FALSE(describe(artefact).empty());
  }
}

TEST(Settings, MoreThanOneStepHasNoNameThatReadsBack) {
  const Setting mixed = Setting::sound().with(Artefact::long_wires).with(Artefact::rotor_defects);
  EXPECT_EQ(mixed.name().rfind("mixed-", 0), 0u);
  EXPECT_NE(error_of([&] { Setting::parse(mixed.name()); }), "");
}

TEST(Settings, UnknownOnesAreAnswered) {
  const std::string hint = "\n  use sound, published, sound+ARTEFACT or published-ARTEFACT";
  for (const char* name : {"", "soud", "sound-long_wires", "published+long_wires", "soundlong_wires"})
    EXPECT_EQ(error_of([&] { Setting::parse(name); }),
              "unknown setting \"" + std::string(name) + "\"" + hint);
  EXPECT_EQ(error_of([] { Setting::parse("sound+long_wire"); })
                .rfind("unknown artefact \"long_wire\"\n  did you mean "
                       "\"long_wires\"?",
                       0),
            0u);
}

// All cells that the matrix has, with every artefact in turn.
TEST(Cells, EveryNameReadsBackAsTheSameCell) {
  for (const StudyBackend backend : {StudyBackend::flow, StudyBackend::packet}) {
    std::vector<Cell> cells = matrix({.backend = backend, .setting = Setting::published(), .seeds = 2});
    EXPECT_GT(cells.size(), 100u);
    for (Cell& cell : cells) {
      EXPECT_EQ(parse_cell(name(cell)), cell) << name(cell);
      cell.setting = Setting::sound().with(Artefact::long_wires);
      cell.changes.set(Knob::tables, std::int64_t{200});
      EXPECT_EQ(parse_cell(name(cell)), cell) << name(cell);
    }
  }
}

TEST(Cells, TheShortNamesOfTheScriptsAreTaken) {
  EXPECT_EQ(parse_cell("A.bs1k.16.opera.dps.packet.sound.1").variant, "bs_1048576");
  for (const char* variant : {"bs_1048576", "bs_2097152", "embdim_40", "embdim_93", "baseline", "other"})
    EXPECT_EQ(long_name(short_name(variant)), variant);
}

TEST(Cells, WhatCannotRunIsAnsweredWithWhatWould) {
  const auto parsing = [](const std::string& text) { return user_error([&] { parse_cell(text); }); };
  EXPECT_EQ(
      parsing("A.baseline.16"),
      "\"A.baseline.16\" is not a cell\n  a cell looks like A.baseline.16.fat-tree.ring.packet.sound.1");
  EXPECT_EQ(parsing("A.baseline.x.opera.ring.flow.sound.1"),
            "the number of nodes of a cell is a number of at least 1, not \"x\"");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.flow.sound.0"),
            "the seed of a cell is a number of at least 1, not \"0\"");
  EXPECT_EQ(parsing("B.baseline.16.opera.ring.flow.sound.1").rfind("unknown model \"B\"", 0), 0u);
  EXPECT_EQ(
      parsing("I.embdim_40.16.opera.ring.flow.sound.1").rfind("model I has no variant \"embdim_40\"", 0), 0u);
  EXPECT_EQ(parsing("A.baseline.64.opera.ring.flow.sound.1"),
            "the study has no networks of 64 nodes\n  it has 16, 128 and 1024");
  EXPECT_EQ(parsing("A.baseline.16.oprea.ring.flow.sound.1"),
            "unknown network \"oprea\"\n  did you mean \"opera\"? known: fat-tree, topoopt, opera");
  EXPECT_EQ(parsing("A.baseline.16.opera.rng.flow.sound.1"),
            "unknown all-reduce \"rng\"\n  did you mean \"ring\"? known: ring, dps, ps");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.packets.sound.1"),
            "unknown backend \"packets\"\n  did you mean \"packet\"? known: flow, packet");
  EXPECT_EQ(parsing("A.baseline.128.topoopt.ring.flow.sound.1"),
            "the flow backend runs topoopt on 16 nodes, not on 128: its flows are too many to solve\n  use "
            "--backend packet");
  EXPECT_EQ(parsing("A.baseline.16.fat-tree.ring.flow.sound.1.slice-us=40"),
            "fat-tree has no rotors, so slice-us means nothing to it\n  use opera");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.flow.sound.1.slice-us=10"),
            "a slice of 10 us is no longer than the reconfiguration of 10 us in it\n  use slice-us=12 or "
            "more, or a "
            "shorter reconfiguration-us");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.flow.sound.1.bulk-threshold-kb=5"),
            "the flow backend has no low-latency packets, so bulk-threshold-kb means nothing to it\n  use "
            "--backend packet");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.flow.sound.1.batch=127"),
            "a batch of 127 is too small for 16 nodes of 8 GPUs\n  use batch=128 or more");
  EXPECT_EQ(parsing("A.baseline.16.opera.ring.flow.sound.1.batch=128"), "");
}

TEST(Cells, ChangesOfTheWorkReachTheVariant) {
  const Cell cell = parse_cell("A.baseline.16.opera.ring.flow.sound.1.tables=200.batch=1024.feature-size=64");
  EXPECT_EQ(variant_of(cell).batch, 1024);
  EXPECT_EQ(variant_of(cell).columns, 64);
  EXPECT_EQ(tables_of(cell), 200);
  EXPECT_EQ(tables_of(parse_cell("A.baseline.16.opera.ring.flow.sound.1")), 1000);
}

TEST(Matrix, LeavesOutWhatWasNotChosenAndNothingElse) {
  EXPECT_EQ(matrix(small()).size(), 5u) << "two networks with ring and dps, and topoopt's rings";
  MatrixChoice choice = small();
  choice.all_reduces = {kDps};
  choice.networks = {StudyNetwork::opera};
  choice.seeds = 3;
  const auto cells = matrix(choice);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[2].seed, 3);
  choice.tables = {100, 200};
  EXPECT_EQ(matrix(choice).size(), 6u);
}

TEST(Matrix, AChoiceThatLeavesNothingIsRefused) {
  MatrixChoice none = small();
  none.variants = {"fs40"};
  EXPECT_EQ(error_of([&] { matrix(none); }).rfind("no cell of the matrix is left", 0), 0u) << "model A's";
  MatrixChoice seeds = small();
  seeds.seeds = 0;
  EXPECT_EQ(error_of([&] { matrix(seeds); }), "--seeds: at least one seed is needed");
  MatrixChoice variant = small();
  variant.variants = {"baselin"};
  const std::string unknown = "--variants: unknown variant \"baselin\"\n  did you mean \"baseline\"?";
  EXPECT_EQ(error_of([&] { matrix(variant); }).substr(0, unknown.size()), unknown);
  MatrixChoice tables = small();
  tables.tables = {-1};
  EXPECT_EQ(error_of([&] { matrix(tables); }), "tables is a whole number from 1 to 100000, not \"-1\"");
}

TEST(CellJobs, APointIsTheCellsOwnCommandInAFolderOfItsName) {
  const Cell cell = matrix(small()).front();
  const SweepJob job = cell_job({cell}, {.file = "/bin/overture", .version = "1.0"}, "out");
  ASSERT_EQ(job.points.size(), 1u);
  EXPECT_EQ(job.points[0].folder, "out/cells/" + name(cell));
  EXPECT_EQ(job.points[0].arguments, (std::vector<std::string>{"opera-dlrm", "--cell", name(cell)}));
  EXPECT_EQ(job.points[0].version, "1.0");
}

TEST(FitBackward, FindsTheTimeThatGivesThePublishedOne) {
  for (const Duration wanted : {Duration{100ms}, Duration{330ms}, Duration{365ms}, Duration{1s}}) {
    // Seven tables in turn, and 2 s of other things.
    const auto run = [](Duration backward) { return Duration{2s} + 7 * backward; };
    EXPECT_NEAR(to_us(fit_backward(run(wanted), 7, run)), to_us(wanted), 1);
  }
}

TEST(FitBackward, IsNeverNegativeAndEndsWhereNothingHelps) {
  int runs = 0;
  const Duration fitted = fit_backward(1s, 7, [&](Duration) {
    ++runs;
    return Duration{5s};
  });
  EXPECT_EQ(fitted, Duration{});
  EXPECT_LE(runs, 6);
}

CellResult result_of(double seconds) {
  CellResult result;
  result.iteration = Duration{static_cast<std::int64_t>(seconds * 1e12)};
  return result;
}
FinishedCell finished(const std::string& cell, double seconds) {
  return {parse_cell(cell), result_of(seconds)};
}

TEST(BySeed, RunsThatDifferInTheirSeedAreOneRow) {
  const auto rows = by_seed({finished("A.baseline.16.opera.dps.flow.published.1", 2),
                             finished("A.baseline.16.fat-tree.ring.flow.published.1", 3),
                             finished("A.baseline.16.opera.dps.flow.published.2", 4)});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].results.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].mean_seconds(), 3);
  EXPECT_DOUBLE_EQ(rows[0].spread(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(rows[1].spread(), 0);
}

TEST(SpeedupOfOpera, IsTheTreesTimeOverItsOwn) {
  const auto rows = by_seed({finished("A.baseline.16.opera.dps.flow.published.1", 2),
                             finished("A.baseline.16.fat-tree.ring.flow.published.1", 3)});
  const auto found = opera_speedup(rows, rows[0].cell, kDps, kRing);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->ours, 1.5);
  ASSERT_TRUE(found->published);
  EXPECT_NEAR(*found->published, 1.197, 0.001);
  EXPECT_EQ(found->winner(), "same");
  EXPECT_FALSE(opera_speedup(rows, rows[0].cell, kRing, kRing)) << "was not run";
}

TEST(Finding, ComparesTheSameAllReduceOnBoth) {
  EXPECT_EQ(finding({}), "");
  EXPECT_EQ(finding(by_seed({finished("A.baseline.16.opera.dps.flow.sound.1", 2),
                             finished("A.baseline.16.fat-tree.ring.flow.sound.1", 3)})),
            "")
      << "different all-reduces do not compare";
  EXPECT_EQ(finding(by_seed({finished("A.baseline.16.opera.dps.flow.sound.1", 2),
                             finished("A.baseline.16.fat-tree.dps.flow.sound.1", 3),
                             finished("A.baseline.16.opera.ring.flow.sound.1", 4),
                             finished("A.baseline.16.fat-tree.ring.flow.sound.1", 2)})),
            "With the same all-reduce on both networks, Opera is ahead of the fat tree in 1 of 2 "
            "comparisons, at 0.50 to "
            "1.50 times its speed.");
}

TEST(Headlines, OfSomeNodesAreThoseOfThem) {
  EXPECT_EQ(headlines().size(), 4u);
  EXPECT_EQ(headlines({16}).size(), 1u);
  EXPECT_EQ(headlines({1024}).size(), 2u);
  EXPECT_TRUE(headlines({64}).empty());
}

TEST(Headlines, CellsAreTheTreeWithEverySeedAndOperaOnce) {
  const auto cells = headline_cells({16}, 3);
  EXPECT_EQ(cells.size(), 4u + 1 + 3 + 1);
  for (const Cell& cell : cells) EXPECT_TRUE(is_runnable(cell)) << name(cell);
  EXPECT_EQ(std::ranges::count_if(cells, [](const Cell& c) { return c.seed == 3; }), 1);
}

TEST(Headlines, AnnouncesWhatIsLeftOnly) {
  EXPECT_EQ(announcement({}, 9, 2), "all 9 cells are finished");
  const std::string one = announcement({headline_cells({16}, 1)[4]}, 9, 2);  // Opera with packets: 15 s
  EXPECT_EQ(one.rfind("1 of 9 cells are left: about 15 s of CPU time, 1 at a time, up to 0.2 GB each.", 0),
            0u)
      << one;
}

}  // namespace
}  // namespace overture::study::opera_dlrm
