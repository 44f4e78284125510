// Reads Chrome's trace format event by event, so that a large trace never stands in memory as a tree.
#pragma once

#include <functional>
#include <istream>
#include <string>
#include <utility>
#include <vector>

namespace overture::report {

struct TraceEvent {
  char phase = 0;  // X slice, M name, C counter, s and f the ends of an arrow
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  double ts_us = 0;
  double dur_us = 0;
  std::int64_t id = 0;
  std::string name;
  std::vector<std::pair<std::string, std::string>> args;  // as text; nested ones are left out
};

struct TraceRead {
  bool whole = true;  // false: not JSON, or cut short; what came before has been handed on
  std::string note;   // the file's own "overture_note"
};

// Hands every element of "traceEvents", or of a bare array, to `event`.
TraceRead read_trace(std::istream& input, const std::function<void(const TraceEvent&)>& event);

}  // namespace overture::report
