// What commands say of rows of the data that could not be read.
#pragma once

#include "overture/data/bad_rows.h"

namespace overture::cli {

// To stderr: how many, and where the first are. Null, or none: nothing.
void print_bad_rows(const data::BadRows* bad);

}  // namespace overture::cli
