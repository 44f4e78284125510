// The studies as a user runs them, on the smallest part of their matrix.
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const Words kSmall{"study", "opera-dlrm", "--nodes", "16", "--models", "I", "--variants", "baseline"};

Words small(const Words& more) {
  Words words = kSmall;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(StudyOperaDlrm, WritesTablesFiguresAndAFolderPerCellAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const Words words = small({"--as-published", "--networks", "fat-tree,opera", "-o", "results"});
  const Outcome first = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const std::string& line : lines_of(first.out)) EXPECT_LE(line.size(), 80u) << line;
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder.path() / "results"))
    files.insert(entry.path().filename());
  EXPECT_EQ(files,
            (std::set<std::string>{"baseline_i.svg", "baseline_tasks_i_16.svg", "baseline_traffic_i.svg",
                                   "cells", "headline.svg", "matrix.csv", "report.html", "scoreboard.csv",
                                   "setup.yaml", "study.json", "summary.json"}));
  const fs::path cell = folder.path() / "results/cells/I.baseline.16.opera.dps.flow.published.1/summary.json";
  const auto written = fs::last_write_time(cell);
  const Outcome again = run_overture(words, {.folder = folder.path()});
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(fs::last_write_time(cell), written);
}

TEST(StudyOperaDlrm, TheSummaryHasThePapersHeadlineAndExplainsItsWords) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_overture(small({"--networks", "fat-tree,opera", "-o", "results"}), {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const char* text : {"1.20", "1.14", "0.93", "1.79", "as published: with every artefact",
                           "sound: with none", "--headline runs"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
}

TEST(StudyOperaDlrm, FiguresOfAnEarlierRunDoNotStayBehind) {
  const TemporaryFolder folder;
  const auto run_model = [&](const char* model) {
    return run_overture({"study", "opera-dlrm", "--nodes", "16", "--models", model, "--variants", "baseline",
                         "--networks", "fat-tree", "-o", "results"},
                        {.folder = folder.path()});
  };
  ASSERT_EQ(run_model("A").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder.path() / "results/baseline_a.svg"));
  ASSERT_EQ(run_model("I").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "results/baseline_a.svg"));
  EXPECT_FALSE(fs::exists(folder.path() / "results/scaling-A.svg"));
  EXPECT_TRUE(fs::exists(folder.path() / "results/baseline_i.svg"));
  EXPECT_TRUE(fs::exists(folder.path() / "results/cells/A.baseline.16.fat-tree.ring.flow.sound.1"));
}

// Its first cells need some seconds each; a stop after the announcement leaves nothing half-written.
TEST(StudyOperaDlrm, TheHeadlineAnnouncesItsRunTime) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"timeout", "-s", "INT", "2", overture_binary().string(), "study", "opera-dlrm",
                               "--headline", "--nodes", "1024", "-o", "results"},
                              {.folder = folder.path()});
  EXPECT_NE(outcome.out.find("18 of 18 cells are left: about"), std::string::npos) << outcome.text();
  EXPECT_NE(outcome.out.find("h of CPU time"), std::string::npos) << outcome.text();
}

TEST(StudyOperaDlrm, TheSetupOfACellRuns) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture(small({"--networks", "fat-tree,topoopt,opera", "-o", "results"}),
                                       {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  const std::string study = read_text(folder.path() / "results/study.json");
  int tried = 0;
  for (std::size_t at = study.find("\"setup\": \""); at != std::string::npos;
       at = study.find("\"setup\": \"", at + 1)) {
    std::string text = study.substr(at + 10, study.find("\",\n", at + 10) - at - 10);
    for (std::size_t n = text.find("\\n"); n != std::string::npos; n = text.find("\\n"))
      text.replace(n, 2, "\n");
    folder.write("cell.yaml", text);
    const Outcome flows =
        run_overture({"flows", "cell.yaml", "-s", "traffic.size=1 kB", "--overwrite", "-o", "flows"},
                     {.folder = folder.path()});
    EXPECT_EQ(flows.exit_code, 0) << text << flows.text();
    ++tried;
  }
  EXPECT_EQ(tried, 5) << "ring and DPS on two networks, and TopoOpt";
}

TEST(ImportHtsimLog, TellsTrafficAndTaskEndsOfAUsersLogs) {
  const TemporaryFolder folder;
  folder.write("flows.log",
               "FCT 0 1 100 0.5 0.1\nFCT 1 2 100 0.5 0.1\nFCT 2 0 100 0.5 0.1\nFCT 0 2 100000 9 0.1\n");
  folder.write("tasks.out",
               "x finished one task, nfin 1 ntot 2 type 0 now 1000000000000\n"
               "x finished one task, nfin 2 ntot 2 type 6 now 2000000000000\nFinalFinish 2000000000000\n");
  const Outcome outcome =
      run_overture({"import", "htsim-log", "flows.log", "tasks.out", "--nodes", "3", "-o", "out"},
                   {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("0.002991"), std::string::npos) << outcome.out;
  EXPECT_EQ(lines_of(read_text(folder.path() / "out/task_ends.csv")).size(), 3U);
  EXPECT_TRUE(fs::exists(folder.path() / "out/task-ends.svg"));
  folder.write("cut.log", "FCT 0 1 100 0.5 0.1\nFCT 1 2 1");
  const Outcome cut = run_overture({"import", "htsim-log", "cut.log"}, {.folder = folder.path()});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_NE(cut.err.find("error: cut.log:2: the last line is cut"), std::string::npos) << cut.text();
  EXPECT_EQ(
      run_overture({"import", "htsim-log", "cut.log", "--partial", "-o", "out"}, {.folder = folder.path()})
          .exit_code,
      0);
}

TEST(StudyOperaDlrm, ExplainShowsEveryArtefact) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture({"study", "opera-dlrm", "--explain", "--nodes", "16", "--models", "A",
                                        "--variants", "embdim_40", "-o", "results"},
                                       {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("without int64_embeddings"), std::string::npos);
  EXPECT_NE(outcome.out.find("sound: dps on both"), std::string::npos);
}

TEST(StudyOperaDlrm, ASweepNamesTheBestConfigurationAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const Words words = small({"--sweep", "reconfiguration-us=1,10", "--sweep", "tables=16", "--all-reduces",
                             "dps", "-o", "results"});
  const Outcome first = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const std::string& line : lines_of(first.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(first.out.find("opera dps reconfiguration-us=1\n"), std::string::npos) << first.out;
  const fs::path results = folder.path() / "results";
  EXPECT_TRUE(fs::exists(results / "sweep.csv"));
  const std::string summary = read_text(results / "summary.json");
  EXPECT_NE(summary.find("\"digest\": \""), std::string::npos) << summary;
  EXPECT_NE(summary.find("reconfiguration-us=1,10"), std::string::npos) << "in setup_yaml: " << summary;
  const fs::path cell =
      results / "cells/I.baseline.16.opera.dps.flow.sound.1.tables=16.reconfiguration-us=1/summary.json";
  const auto written = fs::last_write_time(cell);
  EXPECT_EQ(run_overture(words, {.folder = folder.path()}).out, first.out);
  EXPECT_EQ(fs::last_write_time(cell), written);
}

TEST(StudyAstraTutorial, GivesThePrintedNumbersAndAFolderPerCell) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture(
      {"study", "astra-tutorial", "--shapes", "2x2x2", "--compute-scales", "1,0.5", "-o", "results"},
      {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("published 4875.201 us; ours 4875.201 us"), std::string::npos) << outcome.out;
  const fs::path results = folder.path() / "results";
  for (const char* file : {"study.json", "scoreboard.csv", "tutorial.csv", "layers-2x4x4.csv", "nodes.svg",
                           "queueing-4x4x4.svg", "cells/2x4x4.compute-0.5/report.html"})
    EXPECT_TRUE(fs::exists(results / file)) << file;
  EXPECT_EQ(lines_of(read_text(results / "layers-4x4x4.csv")).size(), 55U);
  // The setup that a cell shows is whole: it runs alone and gives the same.
  const Outcome copied = run_overture(
      {"simulate", "results/cells/4x4x4/setup.yaml", "-o", "copied", "--json"}, {.folder = folder.path()});
  ASSERT_EQ(copied.exit_code, 0) << copied.text();
  EXPECT_NE(copied.out.find("\"finished_us\": 4875.201"), std::string::npos) << copied.out;
}

TEST(StudyAstraTutorial, FilesOfAnEarlierRunDoNotStayBehind) {
  const TemporaryFolder folder;
  const auto run_with = [&](const char* drawn) {
    return run_overture({"study", "astra-tutorial", "--shapes", "2x2x2", "--compute-scales", "1", "--drawn",
                         drawn, "--overwrite", "-o", "results", "--overwrite"},
                        {.folder = folder.path()});
  };
  ASSERT_EQ(run_with("2x2x4").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder.path() / "results/queueing-2x2x4.svg"));
  ASSERT_EQ(run_with("2x2x2").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "results/queueing-2x2x4.svg"));
  EXPECT_FALSE(fs::exists(folder.path() / "results/layers-2x2x4.csv"));
}

TEST(StudyAstraTutorial, BadInputGetsOneMessage) {
  const TemporaryFolder folder;
  for (const Words& words : {Words{"--shapes", "2x4"}, Words{"--shapes", "0x4x4"}, Words{"--drawn", "a"},
                             Words{"--compute-scales", "0"}, Words{"--compute-scales", "fast"},
                             Words{"--setup", "missing.yaml"}}) {
    Words command{"study", "astra-tutorial"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = run_overture(command, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.text().find("error: ") != std::string::npos) << outcome.text();
  }
}

// A cell is a run of `simulate` that is not run again; coarse chunks on 16 GPUs take seconds.
TEST(StudyHotiDlrm, RunsResumesAndShowsItsScoreboard) {
  const TemporaryFolder folder;
  const Words words{"study",  "hoti-dlrm",       "--gpus",    "16",
                    "--axes", "injection",       "--systems", "Flat800G,HierOpt",
                    "-s",     "system.chunks=4", "-s",        "network.tcp.segment=8960 B",
                    "-o",     "results"};
  const Outcome first = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const std::string& line : lines_of(first.out)) EXPECT_LE(line.size(), 80u) << line;
  const fs::path results = folder.path() / "results";
  for (const char* file : {"study.json", "scoreboard.csv", "raw-latency.csv", "raw-latency.svg",
                           "end-to-end.csv", "ratio.svg", "memory-copies.csv", "memory-copies.svg",
                           "fluid.csv", "cells.csv", "cost.csv", "setups/hieropt.yaml", "report.html"})
    EXPECT_TRUE(fs::exists(results / file)) << file;
  const std::string scoreboard = read_text(results / "scoreboard.csv");
  for (const char* id : {"P01", "P14", "R01", "R09", "I01", "I12"})
    EXPECT_NE(scoreboard.find(id), std::string::npos) << id;
  const auto cells = lines_of(read_text(results / "cells.csv"));
  ASSERT_EQ(cells.size(), 11U);  // two systems, as packets and as a fluid, and three latencies
  const fs::path cell = results / cells[1].substr(cells[1].rfind(',') + 1);
  const auto written = fs::last_write_time(cell / "summary.json");
  EXPECT_EQ(run_overture(words, {.folder = folder.path()}).out, first.out);
  EXPECT_EQ(fs::last_write_time(cell / "summary.json"), written);
  // The setup that a cell shows runs alone and gives the same.
  const Outcome copied =
      run_overture({"simulate", (cell / "setup.yaml").string(), "-o", "copied", "--json", "--no-report"},
                   {.folder = folder.path()});
  ASSERT_EQ(copied.exit_code, 0) << copied.text();
  const auto finished = [](const std::string& json) { return json.substr(json.find("\"finished_us\""), 30); };
  EXPECT_EQ(finished(copied.out), finished(read_text(cell / "summary.json")));
}

// The finished cells of the study in `folder`, and when they were written.
std::map<fs::path, fs::file_time_type> finished_cells(const fs::path& folder) {
  std::map<fs::path, fs::file_time_type> cells;
  if (!fs::exists(folder / "cells")) return cells;
  for (const auto& entry : fs::directory_iterator(folder / "cells")) {
    const fs::path summary = entry.path() / "summary.json";
    if (entry.path().extension() != ".part" && fs::exists(summary))
      cells[summary] = fs::last_write_time(summary);
  }
  return cells;
}

TEST(StudyHotiDlrm, AfterCtrlCTheSameCommandGoesOnAndLosesNoCell) {
  const TemporaryFolder folder;
  const Words words{"study",        "hoti-dlrm", "--gpus",           "16", "--axes", "none", "--systems",
                    "Hier,HierOpt", "-s",        "system.chunks=64", "-j", "1",      "-o",   "r"};
  const fs::path results = folder.path() / "r";
  StartedOverture first(words, folder.path());
  for (int i = 0; i < 3000 && finished_cells(results).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  first.send_to_group(SIGINT);
  EXPECT_EQ(first.exit_code(), 130);
  const auto kept = finished_cells(results);
  EXPECT_GE(kept.size(), 1U);
  EXPECT_LT(kept.size(), 4U) << "two systems, as packets and as a fluid";
  for (const auto& entry : fs::directory_iterator(results / "cells"))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  const Outcome second = run_overture(words, {.folder = folder.path()});
  EXPECT_EQ(second.exit_code, 0) << second.text();
  EXPECT_NE(second.out.find("4 of 4 cells"), std::string::npos) << second.out;
  const auto all = finished_cells(results);
  EXPECT_EQ(all.size(), 4U);
  for (const auto& [summary, written] : kept) EXPECT_EQ(all.at(summary), written) << summary;
}

TEST(StudyHotiDlrm, BadInputGetsOneMessage) {
  for (const Words& words : {Words{"--systems", "Flat400G"}, Words{"--axes", "colour"}, Words{"--gpus", "24"},
                             Words{"--backend", "ns3"}, Words{"--axes", "none,order"}, Words{"--jobs", "-1"},
                             Words{"-s", "system.chunk=8"}, Words{"-s", "system.chunks=0"}}) {
    Words command{"study", "hoti-dlrm", "--list"};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome outcome = run_overture(command);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.text().find("error: ") != std::string::npos) << outcome.text();
  }
}

TEST(StudyOperaDlrm, BadInputGetsOneMessage) {
  for (const Words& words :
       {Words{"--backend", "ns3"}, Words{"--networks", "torus"}, Words{"--cell", "x"}, Words{"--seeds", "0"},
        Words{"--tables", "many"}, Words{"--sweep", "slice=10"}, Words{"--sweep", "slice-us"},
        Words{"--sweep", "auto", "--explain"}, Words{"--headline", "--explain"},
        Words{"--headline", "--nodes", "64"}, Words{"--sweep", "batch=1"}}) {
    const Outcome outcome = run_overture(small(words));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.text().find("error: ") != std::string::npos) << outcome.text();
  }
}

}  // namespace
}  // namespace overture::testing
