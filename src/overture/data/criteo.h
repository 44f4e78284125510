// Criteo's click logs, Kaggle's and the Terabyte's: a label, 13 counts and 26 hashes in hexadecimal,
// separated by tabs, any of the latter two missing. Read as facebookresearch/dlrm does: a count c becomes
// log(1 + max(c, 0)), what is missing is 0. The MLPerf binary holds the same 40 numbers as int32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "overture/data/row.h"

namespace overture::data {

constexpr std::int64_t kCriteoCounts = 13;
constexpr std::int64_t kCriteoTables = 26;

// 13 dense features, 26 tables of unknown size.
Shape criteo_shape();

// Fills the row; returns what is wrong with the line, or nothing.
std::string parse_criteo(std::string_view line, TextRow& row);
// The same for lines that may do without their label, as Criteo's test set does.
std::string parse_unlabelled_criteo(std::string_view line, TextRow& row);

// log(1 + max(count, 0)) in single precision, and the count behind such a value.
float dense_of_count(std::int64_t count);
std::int64_t count_of_dense(float value);

}  // namespace overture::data
