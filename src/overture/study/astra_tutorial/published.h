// What the ASTRA-sim tutorial (ISCA 2022) prints of ResNet-50: the first rows of its two reports.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace overture::study::astra_tutorial {

// The shape whose reports the slides print, and the one that their figures are of.
inline const std::vector<int> kPrintedShape{4, 4, 4};
inline const std::vector<int> kDrawnShape{2, 4, 4};

// us, of both iterations together.
inline constexpr double kFinished = 4875.201;
inline constexpr double kCompute = 2164.9;
inline constexpr double kExposed = 2710.301;

// EndToEnd.csv, in us. All other columns of these rows are 0. The slides cut the names of the layers.
struct PublishedLayer {
  double forward;
  double weight_gradient;
  double input_gradient;
  double exposed;        // weight gradient
  double communication;  // weight gradient, raw
};
std::span<const PublishedLayer> published_layers();

// detailed.csv, in us: queueing before phases 0 to 5, then messages of phases 1 to 5.
using PublishedPhases = std::array<double, 11>;
std::span<const PublishedPhases> published_phases();

}  // namespace overture::study::astra_tutorial
