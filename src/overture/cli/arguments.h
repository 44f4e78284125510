// What people write behind options, as what it means. Each function throws a UserError that names the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"
#include "overture/base/result.h"

namespace overture::cli {

// What a parser of base/ makes of the option's text.
template <class T>
T parsed(const Result<T>& result, const std::string& option) {
  if (!result) throw UserError({.key = option}, result.error());
  return result.value();
}

// "250", "64k", "1.5M", "4G", in thousands, millions and (American) billions.
std::int64_t parse_count(const std::string& text, const std::string& option);
double parse_real(const std::string& text, const std::string& option);

// "16,128" as its words; empty ones are left out.
std::vector<std::string> words_of(std::string_view list);

// Of --jobs: 0 is one per core.
int parallel_jobs(int asked);

}  // namespace overture::cli
