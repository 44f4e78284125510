// Whole files in and out, with errors that name the file.
#pragma once

#include <filesystem>
#include <string>

namespace overture {

// Throws UserError when the file is missing, is a folder, or cannot be read.
std::string read_file(const std::filesystem::path& path);

// As a WholeFile: a crash leaves the old file or the new one, never half of it.
// Throws UserError when the folder does not exist or the disk is full.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace overture
