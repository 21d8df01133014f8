// SPDX-License-Identifier: Apache-2.0
#include "compare/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/endings/trap.h"
#include "base/files/mapped_file.h"
#include "compare/sides/stored_source.h"
#include "support/temporary_directory.h"

namespace belay::compare {
namespace {

using testing::HasSubstr;

// A tensor of floats in a mapped file; somebody cuts the file once it is open.
SideTensor cut_while_open(const std::filesystem::path& file) {
  SideTensor tensor{.op = "a", .file = file};
  tensor.open = [file]() -> Result<std::shared_ptr<const ElementSource>> {
    const auto mapped = TRY(MappedFile::open(file));
    StoredTensor stored{.type = graph::DataType::Float};
    stored.form = stored.logical = {graph::Format::ND, {static_cast<int64_t>(mapped->bytes().size() / sizeof(float))}};
    stored.bytes = mapped->bytes();
    stored.owner = mapped;
    std::filesystem::resize_file(file, 4096);
    return make_stored_source(std::move(stored));
  };
  return tensor;
}

TEST(Rows, AFileThatIsCutWhileItIsReadIsNamed) {
  enable_traps();
  const test::TemporaryDirectory directory;
  const std::string megabyte(1 << 20, 'x');
  const SideTensor ours = cut_while_open(directory.write("a", megabyte));
  const SideTensor truth = cut_while_open(directory.write("b", megabyte));
  const Row row = compare_pair(ours, truth, {});
  EXPECT_EQ(row.verdict, Verdict::Unread);
  EXPECT_THAT(row.reason, HasSubstr("was cut short while it was read"));
  EXPECT_THAT(row.reason, HasSubstr(directory.path()));
}

}  // namespace
}  // namespace belay::compare
