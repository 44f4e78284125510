// Small things to do with text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/result.h"
#include "overture/base/text.h"

namespace overture {

// Breaks `text` at spaces so that no line is longer than `width`, its own indent included; lines after the
// first start with `indent` spaces, which the first is assumed to have already.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// What stands before, between and behind the separators: always one more than there are of them.
std::vector<std::string> split(std::string_view text, char separator);

// "1 host", "16 hosts"; "1 other run", "3 other runs".
std::string counted(std::int64_t count, std::string_view noun);

// "250", "64k", "1.5M", "4G" (thousands, millions, thousand millions) or "1e6": a whole number from 0 up.
Result<std::int64_t> parse_count(std::string_view text);

}  // namespace overture
