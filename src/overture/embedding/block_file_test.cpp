#include "overture/embedding/block_file.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::embedding {
namespace {

namespace fs = std::filesystem;

class BlockFile : public testing::Test {
 protected:
  BlockFile() : file_(fs::temp_directory_path() / ("overture_blocks_" + std::to_string(getpid()))) {
    std::iota(numbers_.begin(), numbers_.end(), 0.0f);
    BlockWriter writer(file_, "numbers 1");
    writer.write(numbers_);
    writer.finish();
  }
  ~BlockFile() override { fs::remove(file_); }

  std::string error() {
    try {
      BlockReader reader(file_, "numbers 1");
      std::vector<float> read(numbers_.size());
      reader.read(read);
      reader.finish();
      EXPECT_EQ(read, numbers_);
    } catch (const UserError& e) {
      return e.what();
    }
    return {};
  }

  fs::path file_;
  std::vector<float> numbers_ = std::vector<float>(3'000'000);  // three blocks
};

TEST_F(BlockFile, ReadsBackWhatWasWritten) { EXPECT_EQ(error(), ""); }

TEST_F(BlockFile, ACutFileSaysSo) {
  for (const std::uintmax_t size : {fs::file_size(file_) - 1, fs::file_size(file_) / 2, std::uintmax_t{12}}) {
    fs::resize_file(file_, size);
    EXPECT_NE(error().find("is cut short"), std::string::npos) << error();
  }
}

TEST_F(BlockFile, AFlippedBitSaysSo) {
  std::string bytes = read_file(file_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write_file(file_, bytes);
  EXPECT_NE(error().find("has been damaged"), std::string::npos) << error();
}

TEST_F(BlockFile, AnotherKindAndAMissingFileSaySo) {
  write_file(file_, "something else entirely");
  EXPECT_NE(error().find("does not start with"), std::string::npos);
  fs::remove(file_);
  EXPECT_NE(error().find("cannot be read"), std::string::npos);
}

TEST_F(BlockFile, AFileCanBeCheckedWithoutKnowingWhatItHolds) {
  check_blocks(file_, "numbers 1");
  const std::string whole = read_file(file_);
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{3}}) {
    write_file(file_, whole.substr(0, size));
    EXPECT_THROW(check_blocks(file_, "numbers 1"), UserError) << size;
  }
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 8);
  write_file(file_, changed);
  EXPECT_THROW(check_blocks(file_, "numbers 1"), UserError);
}

TEST_F(BlockFile, AFullDiskLeavesTheOldFile) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const std::string partial = file_.string() + ".part" + std::to_string(getpid());
  fs::create_symlink("/dev/full", partial);
  BlockWriter writer(file_, "numbers 1");
  EXPECT_THROW(writer.write(numbers_), UserError);
  EXPECT_EQ(error(), "");
  fs::remove(partial);
}

}  // namespace
}  // namespace overture::embedding
