#!/usr/bin/env bash
# Tests ./up without installing anything: on a copy of it beside a project that has nothing to compile, in a folder
# whose name has spaces, with a dpkg-query and an apt-get that do what the test wants. Usage: up_test.sh PATH_TO_UP
set -euo pipefail

up_root=$(cd "$(dirname "${1:-$(dirname "$0")/../up}")" && pwd)
up=$up_root/up
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
place="$scratch/a folder with spaces"
tools="$scratch/tools"
failures=0
status=0
output=''
unset CI OVERTURE_TEST_FAILS MISSING_PACKAGE
export SCRATCH=$scratch

# run ARGUMENT...: runs ./up and keeps what it says.
run() {
  status=0
  output=$(PATH="$tools:$PATH" "$place/up" "$@" 2>&1) || status=$?
}

expect() {
  local what=$1
  shift
  if "$@"; then
    echo "ok: $what"
  else
    failures=$((failures + 1))
    printf 'FAILED: %s\nstatus %d, output:\n%s\n' "$what" "$status" "$output"
  fi
}

# shellcheck disable=SC2317 # called by expect
{
  exits() { [[ $status == "$1" ]]; }
  says() { grep -qF -- "$1" <<<"$output"; }
  says_line() { grep -qxF -- "$1" <<<"$output"; }
  not() { ! "$@"; }
}

make_project() {
  mkdir -p "$place" "$tools"
  cp "$up" "$place/up"
  cat >"$place/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(overture LANGUAGES NONE)
option(OVERTURE_TESTS "" ON)
add_custom_target(overture)
file(WRITE ${CMAKE_BINARY_DIR}/bin/overture "#!/bin/sh\nfor word; do echo \"word: $word\"; done\n")
file(CHMOD ${CMAKE_BINARY_DIR}/bin/overture PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
if(OVERTURE_TESTS)
  enable_testing()
  add_test(NAME good COMMAND ${CMAKE_COMMAND} -E true)
  add_test(NAME moody COMMAND sh -c "echo mood; test -z \"$OVERTURE_TEST_FAILS\"")
endif()
if(EXISTS ${CMAKE_SOURCE_DIR}/broken)
  message(FATAL_ERROR "broken on purpose")
endif()
if(EXISTS ${CMAKE_SOURCE_DIR}/busy)
  execute_process(COMMAND sh -c "i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done")
endif()
TEXT
  cat >"$place/CMakePresets.json" <<'TEXT'
{"version": 3, "configurePresets": [
  {"name": "release", "binaryDir": "${sourceDir}/build/release", "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}},
  {"name": "ci", "inherits": "release", "cacheVariables": {"OVERTURE_WERROR": "ON"}}]}
TEXT
  cat >"$tools/dpkg-query" <<'TEXT'
#!/bin/sh
for word; do
  case $word in
    -* | *' '*) ;;
    "${MISSING_PACKAGE:-none}") if test -e "$SCRATCH/installed"; then echo "$word installed"; fi ;;
    *) echo "$word installed" ;;
  esac
done
TEXT
  chmod +x "$tools/dpkg-query"
}

# An apt that knows no package before it was updated, and whose first installation fails if it is told so.
make_apt() {
  cat >"$tools/apt-cache" <<'TEXT'
#!/bin/sh
if test -e "$SCRATCH/updated"; then echo '  Candidate: 1.0'; else echo '  Candidate: (none)'; fi
TEXT
  cat >"$tools/apt-get" <<'TEXT'
#!/bin/sh
echo "$*" >>"$SCRATCH/apt_calls"
case $* in
  update) touch "$SCRATCH/updated" ;;
  *)
    if test -e "$SCRATCH/stale"; then rm "$SCRATCH/stale"; echo 'no such file'; exit 100; fi
    touch "$SCRATCH/installed"
    ;;
esac
TEXT
  printf '#!/bin/sh\nexec "$@"\n' >"$tools/sudo"
  chmod +x "$tools"/*
}

test_command_line() {
  run --help
  expect '--help explains itself' exits 0
  expect '--help names the commands' says 'demo    build'
  run
  expect 'no command is wrong use' exits 2
  run dance
  expect 'an unknown command is wrong use' exits 2
  expect 'an unknown command is named' says 'error: unknown command "dance"'
  run build --fast
  expect 'an unknown option is wrong use' exits 2
  run test --jobs many
  expect 'jobs are a number' exits 2
  run test -j0
  expect 'jobs are a number, also without a space' exits 2
  run test --jobs
  expect 'an option without its value is wrong use' exits 2
}

test_missing_package() {
  export MISSING_PACKAGE=libfmt-dev
  run build --no-install
  expect '--no-install refuses' exits 2
  expect '--no-install names the package' says 'missing packages: libfmt-dev'
  expect '--no-install shows the line to type' says 'apt-get install -y --no-install-recommends libfmt-dev'
  export MISSING_PACKAGE=libgtest-dev
  run test --no-install
  expect 'the tests need GoogleTest' exits 2
  run build --no-install
  expect 'the program does not' exits 0
  unset MISSING_PACKAGE
}

# The calls of apt-get, a word each.
apt_calls() { cut -d ' ' -f 1 "$scratch/apt_calls" | tr '\n' ' '; }

test_installation() {
  make_apt
  export MISSING_PACKAGE=libfmt-dev
  run build
  expect 'a missing package is installed' exits 0
  expect 'the apt line is shown' says 'apt-get install -y --no-install-recommends libfmt-dev'
  expect 'without package lists, apt is updated first' test "$(apt_calls)" = 'update -o '
  run build
  expect 'what is there is not installed again' test "$(apt_calls)" = 'update -o '
  rm "$scratch/installed" "$scratch/apt_calls"
  run build
  expect 'with package lists, apt is not updated' test "$(apt_calls)" = '-o '
  rm "$scratch/installed" "$scratch/apt_calls"
  touch "$scratch/stale"
  run build
  expect 'with stale package lists, apt is updated and tried again' test "$(apt_calls)" = '-o update -o '
  unset MISSING_PACKAGE
}

test_demo() {
  rm -rf "$place/build"
  run demo --no-install --fast 'two words' -- --help
  expect 'the demo runs' exits 0
  expect 'the demo gets its command' says_line 'word: demo'
  expect 'the demo gets its options' says_line 'word: --fast'
  expect 'spaces in arguments stay' says_line 'word: two words'
  expect 'what follows -- is passed on' says_line 'word: --help'
  expect 'the demo says what to try next' says 'Try next:'
  expect 'the demo leaves the tests out' grep -q 'OVERTURE_TESTS:BOOL=OFF' "$place/build/release/CMakeCache.txt"
}

test_tests() {
  run test --no-install
  expect 'good tests succeed' exits 0
  expect "ctest's own summary is shown" says '100% tests passed, 0 tests failed out of 2'
  expect 'the tests are counted' says_line '2 passed, 0 failed'
  OVERTURE_TEST_FAILS=yes run test --no-install
  expect 'a failed test fails' exits 1
  expect 'a failed test is counted' says_line '1 passed, 1 failed'
  expect 'a failed test shows what it printed' says 'mood'
  run test --no-install -R good
  expect 'arguments reach ctest' says_line '1 passed, 0 failed'
  run test --no-install -R nothing
  expect 'no test at all is a failure' exits 1
  CI=true run test --no-install
  expect 'CI turns warnings into errors' grep -q 'OVERTURE_WERROR:.*=ON' "$place/build/release/CMakeCache.txt"
}

test_build_folders() {
  touch "$place/broken"
  run build --no-install
  expect 'a failed configuration fails' exits 1
  expect 'a failed configuration shows the log' says 'broken on purpose'
  rm "$place/broken"
  touch "$place/busy"
  run build --no-install
  expect 'a build says what it cost' grep -qE '^built in [0-9.]+ s, [1-9][0-9]* CPU-seconds, with [0-9]+ jobs$' <<<"$output"
  rm "$place/busy"
  (cd "$scratch" && PATH="$tools:$PATH" "$place/up" build --no-install --build-dir 'my build' 2>/dev/null)
  expect '--build-dir counts from where one is' test -x "$scratch/my build/bin/overture"
  sed -i 's/^CMAKE_PROJECT_NAME:.*/CMAKE_PROJECT_NAME:STATIC=other/' "$scratch/my build/CMakeCache.txt"
  run build --no-install --build-dir "$scratch/my build"
  expect 'the build of another project is left alone' exits 2
}

# The copy's cache names the first place, which still exists: CMake alone would refuse, or build over there.
test_copied_tree() {
  run test --no-install
  cp -R "$place" "$scratch/copy"
  place="$scratch/copy"
  run test --no-install
  expect 'a copied tree builds' exits 0
  expect 'a copied tree says so' says 'configuring afresh'
  expect 'a copied tree builds in its own folder' grep -q "CMAKE_HOME_DIRECTORY:INTERNAL=.*/copy" \
    "$place/build/release/CMakeCache.txt"
  run test --no-install
  expect 'the second time nothing is afresh' not says 'afresh'
}

# Whether folders are compiled as one is a matter of the preset: with an empty ccache, compiling file by file is slow.
test_presets() {
  local here="$scratch/presets" preset
  mkdir -p "$here"
  cp -R "$up_root/cmake" "$up_root/CMakePresets.json" "$here"
  cat >"$here/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(overture LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(overture)
message(STATUS "unity ${OVERTURE_UNITY}, warnings ${OVERTURE_WERROR}, launcher '${CMAKE_CXX_COMPILER_LAUNCHER}'")
TEXT
  printf '#!/bin/sh\nexec "$@"\n' >"$tools/ccache"
  chmod +x "$tools/ccache"
  for preset in release ci dev; do
    status=0
    output=$(cd "$here" && PATH="$tools:$PATH" cmake --preset "$preset" 2>&1) || status=$?
    case $preset in
      release) expect 'release compiles folders as one, without ccache' says "unity ON, warnings , launcher ''" ;;
      ci) expect 'so does ci, with warnings as errors' says "unity ON, warnings ON, launcher ''" ;;
      dev) expect 'dev compiles files one by one, with ccache' says "unity OFF, warnings ON, launcher '$tools/ccache'" ;;
    esac
  done
}

make_project
test_presets
test_command_line
test_missing_package
test_installation
test_demo
test_tests
test_build_folders
test_copied_tree
echo "$failures failures"
exit $((failures > 0))
