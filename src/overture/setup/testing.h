// For tests of this folder: mistakes of users, each beside the message that it gets.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::setup {

struct Mistake {
  std::vector<std::string> changes;  // key=value, as after -s
  std::string message;               // all of it: file, key, what is wrong, and what would work
};

// `parse` takes the changes of a mistake.
template <class Parse>
void expect_messages(const std::vector<Mistake>& mistakes, Parse parse) {
  for (const Mistake& mistake : mistakes) {
    std::string changes;
    for (const std::string& change : mistake.changes) changes += change + " ";
    EXPECT_EQ(user_error([&] { parse(mistake.changes); }), mistake.message) << changes;
  }
}

}  // namespace overture::setup
