// Runs one command many times, each time with other keys, and gathers the numbers: several runs at a time,
// each in a process of its own, each in its own folder. What is finished is never run again, so a sweep that
// was stopped goes on where it was; parts of it can run on other machines that see the same folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace overture::study {

struct SweepPoint {
  std::vector<std::string> overrides;  // key=value
  std::filesystem::path folder;        // named after all that its results depend on
  // What follows the command, in place of setup and overrides; `-o folder` comes after it.
  std::vector<std::string> arguments{};
  // If not empty, a result counts only when its summary.json says that this version of the program made it.
  std::string version{};
};

struct SweepJob {
  std::filesystem::path program;  // overture itself
  std::string command;
  std::filesystem::path setup;
  std::vector<SweepPoint> points;
  int jobs = 1;              // at a time
  bool notes_costs = false;  // leaves in every folder what the run cost: see cost_of()
};

// What a run took of the machine.
struct RunCost {
  double cpu_seconds = 0;  // of all its threads
  double peak_mib = 0;     // of memory
};

struct SweepFailure {
  std::size_t point;
  int exit_code;
  std::string message;
};

// The folder of a point under `root`: the same for the same command, setup text and overrides.
std::filesystem::path point_folder(const std::filesystem::path& root, std::size_t number,
                                   const std::string& command, const std::string& setup_text,
                                   const std::vector<std::string>& overrides);

// Whether it is there and whole: a run that was cut short is not.
bool is_finished(const SweepPoint& point);

// Where a run of the point works until it is finished.
std::filesystem::path unfinished(const SweepPoint& point);
// Puts what the run left into the point's folder, in one step that a crash does or does not; false, and
// nothing happens, if the run did not come to its end.
bool keep_if_complete(const SweepPoint& point);

// Runs those of points `mine` that are not finished. Calls `finished` with the number of points that are
// done; when it answers false, what runs is stopped and forgotten. Returns those that failed.
std::vector<SweepFailure> run_sweep(const SweepJob& job, const std::vector<std::size_t>& mine,
                                    const std::function<bool(std::size_t)>& finished);

// Of the run that finished the point, if it was noted.
std::optional<RunCost> cost_of(const SweepPoint& point);

// The numbers of a point's summary.json, in order; those of an object under "object.number".
std::vector<std::pair<std::string, double>> numbers_of(const SweepPoint& point);

}  // namespace overture::study
