// For tests of this folder: a command as a user gives it, run in this process, and what it says.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"
#include "overture/cli/captured_output.h"
#include "overture/cli/command.h"

namespace overture::cli {

using Words = std::vector<std::string>;
using AddCommands = std::function<void(Command&)>;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs a program that has the commands, as `overture WORDS...`.
inline Ran run_words(Words words, const AddCommands& add_commands) {
  words.insert(words.begin(), "overture");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  Ran ran;
  ::testing::internal::CaptureStderr();
  {
    CapturedOutput output;
    ran.code = run(static_cast<int>(pointers.size()), pointers.data(), add_commands);
    ran.out = output.finish();
  }
  ran.err = ::testing::internal::GetCapturedStderr();
  return ran;
}

// What it prints when all is well.
inline std::string printed(const Words& words, const AddCommands& add_commands) {
  const Ran ran = run_words(words, add_commands);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.out;
}

// The message to a user who can mend something: exit code 2, and nothing on stdout.
inline std::string refused(const Words& words, const AddCommands& add_commands) {
  const Ran ran = run_words(words, add_commands);
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.rfind("error: ", 0), 0u) << ran.err;
  return ran.err.substr(std::min<std::size_t>(ran.err.size(), 7));
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace overture::cli
