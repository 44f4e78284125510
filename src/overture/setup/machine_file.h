// machine.yaml: what `overture calibrate` measured of a machine, as a file that simulate, plan and codesign
// read. The keys are described here and in docs/reference/machine.md. Times stand for one piece of work
// (`each`) or for a million of what they are named after.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "overture/model/machine.h"
#include "overture/setup/visitors.h"

namespace overture {

// Only the products of a linear layer: a machine is measured for these.
constexpr auto vocabulary(Work) {
  return std::to_array<Word<Work>>({
      {Work::forward, "forward"},
      {Work::input_gradient, "input_gradient"},
      {Work::weight_gradient, "weight_gradient"},
  });
}

}  // namespace overture

namespace overture::setup {

// Throws UserError that names file, line and key.
model::Machine parse_machine(std::string_view text, const std::string& file);
model::Machine read_machine(const std::filesystem::path& file);
std::string write_machine(const model::Machine& machine);

// Empty when the machine's numbers hold here; else a sentence that says whose they are.
std::string of_another_machine(const model::Machine& machine);

}  // namespace overture::setup
