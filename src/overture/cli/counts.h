// Numbers on the command line that int and float do not hold.
#pragma once

#include <cstdint>
#include <string>

namespace overture::cli {

// "250", "64k", "1.5M", "4G", in thousands, millions and (American) billions. Throws UserError that names the
// option.
std::int64_t parse_count(const std::string& text, const std::string& option);
double parse_real(const std::string& text, const std::string& option);

// Of --jobs: 0 is one per core. Throws UserError for less.
int parallel_jobs(int asked);

// "1,234,567".
std::string with_commas(std::int64_t number);

}  // namespace overture::cli
