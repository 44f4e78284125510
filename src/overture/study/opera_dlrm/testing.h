// For tests: the smallest part of the Opera study.
#pragma once

#include "overture/study/opera_dlrm/cells.h"

namespace overture::study::opera_dlrm {

inline MatrixChoice small() {
  return {.nodes = {16}, .models = {"I"}, .variants = {"baseline"}, .backend = StudyBackend::flow};
}

}  // namespace overture::study::opera_dlrm
