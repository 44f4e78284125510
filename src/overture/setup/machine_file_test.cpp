#include "overture/setup/machine_file.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::setup {
namespace {

using model::Machine;
using std::chrono::microseconds;
using std::chrono::milliseconds;

Machine some_machine() {
  Machine machine{.name = {.processor = "Abacus 7", .cores = 4, .host = "desk"}, .made_by = "1.0"};
  machine.costs[static_cast<std::size_t>(Work::gather)] = {
      .each = microseconds(2),
      .per_million = {milliseconds(3), milliseconds(1), {}},
      .spread = 0.05,
      .pieces = 7};
  machine.costs[static_cast<std::size_t>(Work::forward)] = {.each = microseconds(1),
                                                            .per_million = {microseconds(10), {}, {}}};
  machine.shapes.push_back({.work = Work::forward,
                            .inputs = 13,
                            .outputs = 64,
                            .each = microseconds(5),
                            .per_million_samples = milliseconds(1)});
  return machine;
}

TEST(MachineFile, ReadsBackWhatItWrote) {
  const Machine read = parse_machine(write_machine(some_machine()), "machine.yaml");
  EXPECT_EQ(read.name.processor, "Abacus 7");
  EXPECT_EQ(write_machine(read), write_machine(some_machine()));
}

TEST(MachineFile, TimesAreForOnePieceAndForAMillion) {
  const Machine machine = parse_machine(write_machine(some_machine()), "machine.yaml");
  EXPECT_EQ(machine.time(Work::gather, {1000, 2000, 0}), Duration{microseconds(2 + 3 + 2)});
  EXPECT_EQ(machine.time(Work::plan, {1000, 0, 0}), Duration{});  // not measured
}

TEST(MachineFile, AMeasuredShapeCountsBeforeTheCostOfAnyShape) {
  const Machine machine = some_machine();
  EXPECT_EQ(machine.time(Work::forward, {1000, 13, 64}), Duration{microseconds(5 + 1)});
  EXPECT_EQ(machine.time(Work::forward, {500, 10, 100}), Duration{microseconds(1 + 10)});  // a million flops
}

TEST(MachineFile, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_machine(text, "machine.yaml");
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string head = "version: 1\nmachine: {processor: a, cores: 1}\n";
  EXPECT_EQ(message(head), "none");
  EXPECT_NE(message("version: 9\nmachine: {processor: a, cores: 1}\n").find("reads version 1"),
            std::string::npos);
  EXPECT_NE(message(head + "work: {gathr: {each: 1 us}}\n").find("gather"), std::string::npos);
  EXPECT_NE(message(head + "work: {gather: {each: 5}}\n").find("gather.each"), std::string::npos);
  EXPECT_NE(message(head + "work: {gather: {each: -5 us}}\n").find("gather"), std::string::npos);
  EXPECT_NE(message("version: 1\n").find("processor"), std::string::npos);
  EXPECT_NE(message(head + "message: {interrupts: -5 us}\n").find("message.interrupts"), std::string::npos);
}

TEST(MachineFile, OfAnotherMachineIsSaid) {
  EXPECT_NE(of_another_machine(some_machine()).find("Abacus 7"), std::string::npos);
  Machine here;
  here.name = this_machine();
  EXPECT_EQ(of_another_machine(here), "");
}

}  // namespace
}  // namespace overture::setup
