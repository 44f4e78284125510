// The ASTRA-sim tutorial's study of ResNet-50 on a 3-D torus: which runs it takes, and what they show of
// every layer. Who runs them is not decided here: a cell is a setup file and keys to change in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overture/simulation/simulation.h"

namespace overture::study::astra_tutorial {

using Shape = std::vector<int>;  // nodes per dimension

std::string shape_name(const Shape& shape);  // "2x4x4"
// Three numbers of at least 1, such as 2x4x4. Throws UserError.
Shape parse_shape(std::string_view text);
int nodes_of(const Shape& shape);

struct TutorialCell {
  Shape shape;
  double compute_scale = 1;  // of every compute time: 0.5 is a node twice as fast

  friend bool operator==(const TutorialCell&, const TutorialCell&) = default;
};
std::string cell_name(const TutorialCell& cell);  // "2x4x4", "2x4x4.compute-0.5"
// key=value, for a setup whose network has three dimensions.
std::vector<std::string> overrides(const TutorialCell& cell);

struct TutorialPlan {
  Shape drawn{2, 4, 4};  // of the figures of layers, and of the faster nodes
  std::vector<Shape> shapes{{2, 2, 2}, {2, 4, 2}, {2, 4, 4}, {2, 8, 4}, {2, 8, 8}};
  std::vector<double> compute_scales{1, 0.5, 0.25, 0.125};
};
// Each once: the shape that the slides print, the drawn one, all shapes, all scales.
std::vector<TutorialCell> cells_of(const TutorialPlan& plan);

// One layer of one cell, in us, over all iterations.
struct LayerTimes {
  std::string name;
  double forward = 0;
  double weight_gradient = 0;
  double input_gradient = 0;
  double exposed = 0;             // all passes
  double communication = 0;       // raw: from issue to completion, all passes
  std::vector<double> queueing;   // mean of a chunk before phases 0, 1, ...
  std::vector<double> messaging;  // mean of a message in phases 1, 2, ...

  double compute() const { return forward + weight_gradient + input_gradient; }
};

struct CellTimes {
  TutorialCell cell;
  double finished = 0;  // us
  double compute = 0;
  double exposed = 0;
  std::vector<LayerTimes> layers;

  double exposed_share() const { return finished > 0 ? exposed / finished : 0; }
};

CellTimes times_of(const TutorialCell& cell, const workload::Workload& workload,
                   const simulation::SimulationResult& result);

}  // namespace overture::study::astra_tutorial
