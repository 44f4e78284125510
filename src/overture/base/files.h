// Whole files in and out, with errors that name the file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace overture {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// Of the C library, closed when it goes.
using File = std::unique_ptr<std::FILE, CloseFile>;

// Throws UserError when the file is missing, is a folder, or cannot be read.
std::string read_file(const std::filesystem::path& path);

// As a WholeFile: a crash leaves the old file or the new one, never half of it.
// Throws UserError when the folder does not exist or the disk is full.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace overture
