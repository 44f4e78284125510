// The two trees of the double binary tree: a root with one child, which tops a perfect binary tree of all
// other coordinates, numbered in order. In one tree the root is the largest coordinate, in the other the
// smallest.
#pragma once

namespace overture::system {

enum class TreeRoot : bool { largest, smallest };

// Coordinates of the relatives; -1 when there is none. The root's only child is `left`.
struct TreeNode {
  int parent = -1;
  int left = -1;
  int right = -1;
  bool leaf() const { return left < 0 && right < 0; }
  bool root() const { return parent < 0; }
};

// `ranks` is a power of two, at least 2.
TreeNode tree_node(int coordinate, int ranks, TreeRoot root);

}  // namespace overture::system
