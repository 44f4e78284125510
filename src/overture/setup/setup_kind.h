// Which command a setup file is for, told by its keys, so that a file given to another one is not answered
// with "unknown key".
#pragma once

#include <string>

#include "overture/setup/value.h"

namespace overture::setup {

enum class SetupKind { run, train, sweep, search };  // run: simulate or flows

// Throws UserError when `root` is clearly a setup of another kind; says which command takes it.
void require_kind(const Value& root, const std::string& file, SetupKind kind);

}  // namespace overture::setup
