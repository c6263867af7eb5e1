// Files that are there whole or not at all. Every failure is a UserError that names the path and
// what the system said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace qirkat {

// All bytes of a regular file.
std::vector<std::uint8_t> ReadFileBytes(const std::filesystem::path& path);

// What is being written and not yet in place.
inline constexpr std::string_view kPartialExtension = ".partial";

// Writes `path`.partial, syncs it, and renames it into place: a killed process leaves the old file
// or the new one. On failure nothing of the new file remains. Something there that is no regular
// file (a device) is never replaced.
void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void WriteFileAtomically(const std::filesystem::path& path, std::string_view text);

// Renames a finished file or directory and syncs the directory that holds it.
void RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

// Syncs what was written under this path (a file, or a directory's list of names) to the disk.
void SyncPath(const std::filesystem::path& path);

}  // namespace qirkat
