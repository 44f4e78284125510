// Reads Chakra execution traces: schema 0.0.4 and 1.0.0, and the proto2 schemas of 2023; plain or gzipped, as
// a stream. Everything that can be wrong with a file is said here, with the file, the node and the field.
#pragma once

#include <string>

#include "overture/formats/chakra/node.h"

namespace overture::chakra {

struct ReadOptions {
  // Attributes and fields that we do not know are kept as they came, so that a writer can give them back.
  bool keep_unknown = false;
  // Names of nodes; a run that reports nothing does without.
  bool names = true;
};

// Throws UserError: a record that is cut short or no protobuf, an id twice, a parent that is not there, a
// cycle, a negative size, no node at all.
RankTrace read_trace(const std::string& file, const ReadOptions& options = {});

// Where the trace of `rank` is: PREFIX.N.et, or a pattern with %d in it.
std::string rank_file(const std::string& prefix, int rank);
// How many ranks there are from 0 on without a gap, up to `most`. Throws UserError when rank 0 has no file.
int count_ranks(const std::string& prefix, int most = 1 << 20);

}  // namespace overture::chakra
