#include "overture/train/dense/interaction_loops.h"

namespace overture::train {

const InteractionLoops& portable_interaction() { return kLoops; }

}  // namespace overture::train
