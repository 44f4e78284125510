// Bagpipe's processed datasets: JSON lines {"label": 0.0, "dense": [13 numbers], "sparse": [26 ids]} in a
// folder of part_0.txt, part_1.txt, ..., with the sizes of the tables in emb_table_info.txt beside them, or
// one file alone. Where an element of "sparse" is a list, the sample looks up all of them. Ours beside
// Bagpipe's: "weights", shaped as "sparse", has a number for every lookup.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/data/row.h"

namespace overture::data {

// Fills the row; returns what is wrong with the line, or nothing.
std::string parse_bagpipe(std::string_view line, TextRow& row);
std::string parse_unlabelled_bagpipe(std::string_view line, TextRow& row);

// A file, or a folder of parts, which are read in the order of their numbers. The first line says how many
// tables there are and whether they are multi-hot.
// Without `labels`, lines may do without theirs.
std::unique_ptr<RowSource> open_bagpipe(const std::filesystem::path& path, bool labels = true);

// part_0.txt, part_1.txt, ... of a folder. Throws UserError when one is missing.
std::vector<std::filesystem::path> bagpipe_parts(const std::filesystem::path& folder);

// Rows of every table: a text with one number a line, in the order of the tables.
std::vector<std::int64_t> read_table_info(const std::filesystem::path& path);
std::string table_info_text(const std::vector<std::int64_t>& rows);

}  // namespace overture::data
