#include "overture/train/dense/interaction.h"

namespace overture::train {

const InteractionLoops& interaction() {
  static const InteractionLoops& best =
      avx2_interaction() != nullptr ? *avx2_interaction() : portable_interaction();
  return best;
}

}  // namespace overture::train
