// Small pieces of text that a page is made of.
#pragma once

#include <string>
#include <string_view>

namespace overture::report {

// Quoted and escaped as JSON; malformed UTF-8 becomes U+FFFD.
std::string json_text(std::string_view text);

// Gzip's format, then base64 (RFC 4648): what a page can carry and a browser can open.
std::string gzip_base64(std::string_view text);

}  // namespace overture::report
