// How the tree is kept: the build's check of includes refuses what it must, a name that several folders could
// see means one thing, and files that comments and pages name exist.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = OVERTURE_SOURCE_FOLDER;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

// Runs the check as the build does; true if it lets the file pass.
bool passes(const std::string& includes, const std::string& refused = "") {
  const fs::path folder = fs::path(testing::TempDir()) / "rooms";
  fs::create_directories(folder);
  write(folder / "part.cpp", includes);
  write(folder / "room.cmake", "set(LIBRARY overture_part)\nset(FILES \"" + (folder / "part.cpp").string() +
                                   "\")\nset(ALLOWED \"overture/base;overture/network\")\nset(REFUSED \"" +
                                   refused + "\")\n");
  const std::string command = "cmake -DROOM=" + (folder / "room.cmake").string() + " -P " +
                              (kSource / "cmake/check_includes.cmake").string() + " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Includes, OfALinkedFolderPass) {
  EXPECT_TRUE(passes(
      "#include <vector>\n#include \"overture/base/units.h\"\n#include \"overture/network/network.h\"\n"));
}

TEST(Includes, OfAFolderThatIsNotLinkedAreRefused) {
  EXPECT_FALSE(passes("#include \"overture/base/units.h\"\n#include \"overture/report/html.h\"\n"));
  EXPECT_FALSE(passes("#include \"overture/network/packet/engine.h\"\n"));
}

TEST(Includes, OfAnotherLibraryInALinkedFolderAreRefused) {
  EXPECT_FALSE(passes("#include \"overture/network/make_network.h\"\n", "overture/network/make_network.h"));
}

// The training and the simulating half never include each other, so a name may stand once in each.
bool trains(const std::string& folder) {
  static const std::set<std::string> kTraining{"data", "embedding", "rpc", "train"};
  return kTraining.contains(folder.substr(0, folder.find('/')));
}

bool may_meet(const std::string& one, const std::string& other) {
  const auto both = [](const std::string& folder) {
    return folder == "base" || folder == "model" || folder == "lookahead";
  };
  if (one.starts_with("study/") && other.starts_with("study/"))
    return false;  // studies do not include each other
  return both(one) || both(other) || trains(one) == trains(other);
}

// ASTRA-sim 2's system layer (astra2/) is that program's, and keeps its words where ours mean something else.
bool is_known(const std::string& name, const std::string& one, const std::string& other) {
  static const std::set<std::string> kWords{"Implementation", "LogicalDimension", "Phase", "Planner", "Use"};
  if (name == "Axis") return true;  // of a chart, and of a study
  return kWords.contains(name) && (one == "astra2" || other == "astra2");
}

// Classes at the level of a namespace, by name, with the folders whose headers define them.
std::map<std::string, std::set<std::string>> classes() {
  static const std::regex kClass(
      R"((?:^|\n)(?:class|struct|enum class|union) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)? \{)");
  std::map<std::string, std::set<std::string>> found;
  const fs::path root = kSource / "src/overture";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h") continue;
    const std::string text = text_of(entry.path());
    const std::string folder = fs::relative(entry.path().parent_path(), root).string();
    for (auto match = std::sregex_iterator(text.begin(), text.end(), kClass); match != std::sregex_iterator();
         ++match)
      found[(*match)[1]].insert(folder);
  }
  return found;
}

// The sanitizers and fuzzers are built by clang 14, which refuses these of libstdc++ 12.
TEST(Sources, UseNothingThatTheOldestClangRefuses) {
  int files = 0;
  for (const char* folder : {"src", "fuzz"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind != ".h" && kind != ".cpp") continue;
      ++files;
      const std::string text = text_of(entry.path());
      for (const char* word : {"#include <ranges>", "std::views::", "std::ranges::unique"})
        EXPECT_EQ(text.find(word), std::string::npos) << entry.path() << " uses " << word;
    }
  }
  EXPECT_GT(files, 1000);
}

TEST(Names, OfClassesMeanOneThingInFoldersThatMayMeet) {
  const auto all = classes();
  ASSERT_GT(all.size(), 300);
  for (const auto& [name, folders] : all) {
    for (const std::string& one : folders) {
      for (const std::string& other : folders)
        EXPECT_FALSE(one < other && may_meet(one, other) && !is_known(name, one, other))
            << name << " in " << one << " and " << other;
    }
  }
}

std::set<std::string> words_in(const std::string& text, const std::regex& word) {
  std::set<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), word); match != std::sregex_iterator();
       ++match)
    found.insert((*match)[1]);
  return found;
}

// The last column of the table in ARCHITECTURE.md, by folder.
std::map<std::string, std::set<std::string>> needs_in_the_docs() {
  static const std::regex kRow(R"(\n\| `(\w+)` \|[^|\n]*\|([^|\n]*)\|)");
  const std::string text = text_of(kSource / "docs/ARCHITECTURE.md");
  std::map<std::string, std::set<std::string>> needs;
  for (auto row = std::sregex_iterator(text.begin(), text.end(), kRow); row != std::sregex_iterator(); ++row)
    needs[(*row)[1]] = words_in((*row)[2], std::regex("`(\\w+)`"));
  return needs;
}

// What the sources of a folder include of other folders.
std::set<std::string> included_by(const fs::path& folder) {
  static const std::regex kInclude("#include \"overture/(\\w+)/");
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool code = name.ends_with(".h") || name.ends_with(".cpp");
    if (!code || name.ends_with("_test.cpp") || name.starts_with("testing")) continue;
    found.merge(words_in(text_of(entry.path()), kInclude));
  }
  found.erase(folder.filename().string());
  return found;
}

TEST(Architecture, FoldersIncludeWhatItsTableSays) {
  auto needs = needs_in_the_docs();
  for (bool grows = true; grows;) {  // and what those need
    grows = false;
    for (auto& [folder, all] : needs) {
      for (const std::string& one : std::set(all)) {
        const std::size_t before = all.size();
        all.insert(needs[one].begin(), needs[one].end());
        grows = grows || all.size() > before;
      }
    }
  }
  for (const auto& entry : fs::directory_iterator(kSource / "src/overture")) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename().string();
    ASSERT_TRUE(needs.contains(folder)) << folder << " is not in the table";
    if (folder == "cli") continue;  // everything
    for (const std::string& included : included_by(entry.path()))
      EXPECT_TRUE(needs[folder].contains(included)) << folder << " includes " << included;
  }
}

// Every tail of a file's path: "units.h", "base/units.h", ...
std::set<std::string> tails_of_paths() {
  std::set<std::string> tails;
  for (const char* folder : {"src", "docs", "tests", "bench", "fuzz", "python", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      fs::path tail;
      for (fs::path at = entry.path(); at != kSource; at = at.parent_path())
        tails.insert((tail = tail.empty() ? at.filename() : at.filename() / tail).string());
    }
  }
  for (const auto& entry : fs::directory_iterator(kSource)) tails.insert(entry.path().filename().string());
  return tails;
}

// What a file says to its readers: a page all, a source its comments.
std::string prose_of(const fs::path& file) {
  const std::string text = text_of(file);
  if (file.extension() == ".md") return text;
  std::string prose;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto comment = line.find("// ");
    if (comment != std::string::npos) prose += line.substr(comment) + '\n';
  }
  return prose;
}

TEST(Files, ThatCommentsAndPagesNameExist) {
  static const std::regex kFile(R"((?:^|[^\w\-./{},])([\w/]*\w\.(?:h|cpp|md))\b)");
  const std::set<std::string> examples{"x.cpp", "x_test.cpp", "doc/PERFORMANCE.md"};  // the last is NCCL's
  const std::set<std::string> there = tails_of_paths();
  for (const char* folder : {"src", "docs", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind != ".h" && kind != ".cpp" && kind != ".md") continue;
      const std::string prose = prose_of(entry.path());
      for (auto match = std::sregex_iterator(prose.begin(), prose.end(), kFile);
           match != std::sregex_iterator(); ++match)
        EXPECT_TRUE(there.contains((*match)[1]) || examples.contains((*match)[1]))
            << entry.path() << " names " << (*match)[1] << ", which does not exist";
    }
  }
}

}  // namespace
