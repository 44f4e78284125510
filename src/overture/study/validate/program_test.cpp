// Cases of whole programs, with small scripts in place of overture.
#include "overture/study/validate/program.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

fs::path script(const ScratchFolder& scratch, const std::string& body) {
  const fs::path file = scratch.path() / "program";
  write_file(file, "#!/bin/sh\n" + body + "\n");
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

// A case whose command writes where --path says.
fs::path make_case(const ScratchFolder& scratch, const std::string& name, const std::string& expected) {
  const fs::path folder = scratch.path() / name;
  fs::create_directories(folder / "expected");
  write_file(folder / "cmd.txt", "--run-name=\"a\" \\\n  --path=elsewhere/\n\n");
  write_file(folder / "expected/a.csv", expected);
  return folder;
}

// Writes `text` into a.csv in the folder that its last argument names.
std::string writes(const std::string& text) {
  return "for last in \"$@\"; do :; done\nprintf '" + text + "' > \"${last#--path=}a.csv\"";
}

TEST(ProgramCase, CountsTheCellsThatAreEqual) {
  const ScratchFolder scratch;
  const fs::path folder = make_case(scratch, "case", "x,1,2\n-nan,4,5\n");
  const fs::path program = script(scratch, writes("x,1,3\\nnan,4,5\\n"));
  const Check check = run_program_case(folder, program, scratch.path(), "ASTRA-sim");
  EXPECT_EQ(check.scenario, "case");
  EXPECT_EQ(check.reference, 6);
  EXPECT_EQ(check.ours, 5);  // what is no number equals what is no number
  EXPECT_FALSE(check.passes());
}

TEST(ProgramCase, RowsThatAreMissingAreNotEqual) {
  const ScratchFolder scratch;
  const fs::path folder = make_case(scratch, "case", "1\n2\n3\n");
  const Check check =
      run_program_case(folder, script(scratch, writes("1\\n2\\n")), scratch.path(), "ASTRA-sim");
  EXPECT_EQ(check.ours, 2);
  EXPECT_FALSE(check.passes());
}

TEST(ProgramCase, LinesOfOneCommandAreJoinedAndQuotesGo) {
  const ScratchFolder scratch;
  const fs::path folder = make_case(scratch, "case", "astra --run-name=a 3\n");
  const Check check = run_program_case(
      folder, script(scratch, "printf '%s %s %s\\n' \"$1\" \"$2\" \"$#\" > \"${3#--path=}a.csv\""),
      scratch.path(), "ASTRA-sim");
  EXPECT_TRUE(check.passes()) << check.ours << " of " << check.reference;
}

TEST(ProgramCase, AProgramThatFailsOrIsMissingIsNamed) {
  const ScratchFolder scratch;
  EXPECT_THROW(run_program(script(scratch, "exit 2"), scratch.path(), {"astra"}), UserError);
  EXPECT_THROW(run_program(script(scratch, "kill -9 $$"), scratch.path(), {"astra"}), UserError);
  EXPECT_THROW(run_program(scratch.path() / "none", scratch.path(), {"astra"}), UserError);
  EXPECT_THROW(run_program(script(scratch, "exit 0"), scratch.path() / "none", {"astra"}), UserError);
  run_program(script(scratch, "exit 0"), scratch.path(), {"astra"});
}

TEST(ProgramCase, CasesAreTheFoldersWithACommandByName) {
  const ScratchFolder scratch;
  make_case(scratch, "b", "");
  make_case(scratch, "a", "");
  fs::create_directories(scratch.path() / "c");
  const auto cases = program_cases(scratch.path());
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].filename(), "a");
  EXPECT_EQ(cases[1].filename(), "b");
  EXPECT_THROW(program_cases(scratch.path() / "none"), UserError);
}

TEST(ScratchFolder, GoesWithAllThatIsInIt) {
  fs::path path;
  {
    const ScratchFolder scratch;
    path = scratch.path();
    make_case(scratch, "a", "");
    EXPECT_TRUE(fs::exists(path / "a/cmd.txt"));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace overture::study
