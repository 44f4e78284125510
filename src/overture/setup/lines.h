// The lines of keys, for messages about what shows only when the parts of a setup are put together.
#pragma once

#include <string>

#include "overture/base/error.h"
#include "overture/setup/value.h"

namespace overture::setup {

// The error with the line of the key that it names, if it is about `file`, of which `root` is. A key that is
// not there has the line of the map around it; one that comes from the command line, even in part, has none.
UserError on_its_line(const UserError& error, const Value& root, const std::string& file);

// What `make` gives, or its error on its line.
template <class Make>
auto with_lines(const Value& root, const std::string& file, Make make) {
  try {
    return make();
  } catch (const UserError& error) {
    throw on_its_line(error, root, file);
  }
}

}  // namespace overture::setup
