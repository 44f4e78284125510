// One writer per folder: a process that holds one keeps all others out of it until it ends, however that happens.
#pragma once

#include <cstdint>
#include <filesystem>

namespace overture {

// Those who share a folder keep out only who wants it alone.
enum class FolderUse : std::uint8_t { alone, shared };

// Throws UserError when another process has the folder, which must exist. To hold a folder again changes nothing. Where a
// file system knows no locks, there is none. Leaves nothing in the folder, but for a file ".lock" where folders themselves
// cannot be locked.
void hold_folder(const std::filesystem::path& folder, FolderUse use = FolderUse::alone);

}  // namespace overture
