#include "overture/system/tree.h"

#include "overture/system/algorithms.h"

namespace overture::system {

TreeNode tree_node(int coordinate, int ranks, TreeRoot root) {
  const int root_coordinate = root == TreeRoot::largest ? ranks - 1 : 0;
  int low = root == TreeRoot::largest ? 0 : 1;
  int high = low + ranks - 2;
  int middle = low + (high - low) / 2;
  if (coordinate == root_coordinate) return {.parent = -1, .left = middle, .right = -1};
  int parent = root_coordinate;
  while (middle != coordinate) {
    parent = middle;
    if (coordinate < middle) {
      high = middle - 1;
    } else {
      low = middle + 1;
    }
    middle = low + (high - low) / 2;
  }
  if (low == high) return {.parent = parent, .left = -1, .right = -1};
  return {
      .parent = parent, .left = low + (middle - 1 - low) / 2, .right = middle + 1 + (high - middle - 1) / 2};
}

constinit const AlgorithmFacts kDoubleBinaryTree{
    .word = "double_binary_tree", .can_do = {CollectiveKind::all_reduce}, .power_of_two = true, .tree = true};

}  // namespace overture::system
