// A trace in Chrome's JSON format (trace.h writes it, and so do Kineto and others) as columns of numbers for
// the timeline of a page. Reads as a stream: a trace of 300 MB needs no more memory than what is kept of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overture::report {

// What a page draws at once without effort. Of more, the longest are kept, and "slices" tells how many
// there were: what is shorter than a pixel would not be seen before one zooms in.
constexpr std::size_t kPageSlices = 200'000;

// The traces of one run, perhaps a file per rank, gzipped or not, as one JSON object:
//   slices, kept   how many there were, and are here
//   tracks         one per stream: pid, tid, process, thread, and columns of its slices by start:
//                  start (picoseconds since the one before), length (ps), name (index into names)
//   names          of slices
//   arguments      name, words, and codes: per slice, tracks one after the other, an index into words or -1
//   arrows         from and to: indices of slices, counted likewise
//   counters       name, process, when (ps since the one before), value
//   notes          what a reader should know, such as that a file was cut short
// Empty text when no file has a slice. Throws UserError when a file cannot be read.
std::string pack_traces(const std::vector<std::filesystem::path>& files,
                        std::size_t max_slices = kPageSlices);

}  // namespace overture::report
