// report.html: one page, made from what a command left in its folder, that opens from file:// and asks no
// network for anything. Whatever wrote the folder, the page shows what it finds there;
// docs/reference/results.md tells which files and columns it knows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overture::report {

// Everything that the page shows of one folder or, to compare them, of several, as JSON. Throws UserError
// when a folder has nothing to show or a file in it cannot be read.
std::string page_data(const std::vector<std::filesystem::path>& folders);

// The page itself. Throws UserError.
std::string page_text(const std::vector<std::filesystem::path>& folders);

// Reads `folders` and writes one page to `file`, whose folder exists. Throws UserError.
void write_page(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& file);

// Writes report.html into `folder`. Call it last, when all other files are there.
void write_html(const std::filesystem::path& folder);

}  // namespace overture::report
