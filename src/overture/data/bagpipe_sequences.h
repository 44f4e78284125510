// Bagpipe's datasets of sequences, for CASER: JSON lines {"label": [items], "dense": [items], "sparse":
// [[user], [items]]}. "sparse" has a user and the items before, "label" the items that the user then took,
// "dense" items that the user did not take. Every item of the last two becomes a sample, those taken with
// label 1: the user's table, one table for every item before, and one for the item to decide on.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "overture/data/row.h"

namespace overture::data {

// Whether the line is one of these: its label is a list.
bool is_bagpipe_sequence(std::string_view line);

// `first_line` tells how long the sequences are. emb_table_info.txt in the folder `path`, if it is one, says
// how many users and items there are.
std::unique_ptr<RowSource> open_bagpipe_sequences(const std::filesystem::path& path,
                                                  std::vector<std::filesystem::path> files,
                                                  std::string_view first_line);

// Of all tables, where `users_and_items` has two numbers and samples have so many tables.
std::vector<std::int64_t> sequence_table_rows(const std::vector<std::int64_t>& users_and_items,
                                              std::size_t tables);

}  // namespace overture::data
