// For tests: what a UserError says.
#pragma once

#include <string>

#include "overture/base/error.h"

namespace overture {

// The message of the UserError that `call` throws; empty when it throws none.
template <class Call>
std::string user_error(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace overture
