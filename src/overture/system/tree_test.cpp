#include "overture/system/tree.h"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

namespace overture::system {
namespace {

// Marks everything below `coordinate` and returns the depth of the deepest.
int visit(int coordinate, int ranks, TreeRoot root, std::vector<int>& visits) {
  ++visits[static_cast<std::size_t>(coordinate)];
  const TreeNode node = tree_node(coordinate, ranks, root);
  int depth = 0;
  for (const int child : {node.left, node.right}) {
    if (child < 0) continue;
    EXPECT_EQ(tree_node(child, ranks, root).parent, coordinate);
    depth = std::max(depth, 1 + visit(child, ranks, root, visits));
  }
  return depth;
}

TEST(Tree, EveryNodeHangsBelowTheRootOnce) {
  for (int ranks = 2; ranks <= 64; ranks *= 2) {
    for (const TreeRoot root : {TreeRoot::largest, TreeRoot::smallest}) {
      const int top = root == TreeRoot::largest ? ranks - 1 : 0;
      EXPECT_TRUE(tree_node(top, ranks, root).root());
      EXPECT_EQ(tree_node(top, ranks, root).right, -1) << "the root has one child";
      std::vector<int> visits(static_cast<std::size_t>(ranks));
      EXPECT_EQ(visit(top, ranks, root, visits), std::countr_zero(static_cast<unsigned>(ranks)));
      EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(ranks), 1)) << ranks << " ranks";
    }
  }
}

TEST(Tree, NodesAreNumberedInOrder) {
  for (int ranks = 4; ranks <= 64; ranks *= 2) {
    for (const TreeRoot root : {TreeRoot::largest, TreeRoot::smallest}) {
      for (int c = 0; c < ranks; ++c) {
        const TreeNode node = tree_node(c, ranks, root);
        if (node.root() || node.leaf()) continue;
        EXPECT_LT(node.left, c);
        EXPECT_GT(node.right, c);
      }
    }
  }
}

// So that over both trees everybody passes on about as much.
TEST(Tree, NobodyIsAnInnerNodeOfBothTrees) {
  for (int ranks = 2; ranks <= 64; ranks *= 2) {
    for (int c = 0; c < ranks; ++c) {
      EXPECT_NE(tree_node(c, ranks, TreeRoot::largest).leaf(),
                tree_node(c, ranks, TreeRoot::smallest).leaf());
    }
  }
}

TEST(Tree, OfEightIsThatOfTheOriginal) {
  const TreeNode top = tree_node(3, 8, TreeRoot::largest);
  EXPECT_EQ(top.parent, 7);
  EXPECT_EQ(top.left, 1);
  EXPECT_EQ(top.right, 5);
  EXPECT_EQ(tree_node(4, 8, TreeRoot::smallest).parent, 0);
  EXPECT_EQ(tree_node(7, 8, TreeRoot::smallest).parent, 6);
}

}  // namespace
}  // namespace overture::system
