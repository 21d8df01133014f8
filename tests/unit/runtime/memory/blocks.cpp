// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl_rt.h"

namespace belay {
namespace {

using testing::HasSubstr;

std::byte* at(uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

Block device_block(uintptr_t base, size_t size) {
  return {.base = at(base), .size = size, .kind = BlockKind::Device, .device = 3, .owner = "aclrtMalloc"};
}

TEST(Blocks, AnAddressTellsItsPlace) {
  Blocks blocks;
  blocks.claim(at(0x1000), 0x1000, 3, "the memory of device 3");
  blocks.add(device_block(0x1100, 64));
  blocks.add({.base = at(0x9000), .size = 64, .kind = BlockKind::Host, .owner = "aclrtMallocHost"});
  EXPECT_EQ(blocks.locate(at(0x1110)).place, Place::Device);
  EXPECT_EQ(blocks.locate(at(0x1110)).block.device, 3);
  EXPECT_EQ(blocks.locate(at(0x9000)).place, Place::Pinned);
  EXPECT_EQ(blocks.locate(at(0x1200)).place, Place::Unallocated);
  EXPECT_EQ(blocks.locate(at(0x5000)).place, Place::Pageable);
  EXPECT_EQ(blocks.locate(nullptr).place, Place::Pageable);
}

TEST(Blocks, ARangeThatLeavesItsBlockIsRefusedWithBothSizesAndTheOwner) {
  Blocks blocks;
  blocks.add(device_block(0x1000, 1024));
  EXPECT_TRUE(blocks.check_range(at(0x1000), 1024, "dst").ok());
  EXPECT_TRUE(blocks.check_range(at(0x1010), 1008, "dst").ok());
  const Status status = blocks.check_range(at(0x1010), 2048, "dst");
  EXPECT_EQ(status.code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(status.message, HasSubstr("dst = 0x1010 has room for 1008 bytes, not for 2048"));
  EXPECT_THAT(status.message, HasSubstr("1024 bytes of device 3, from aclrtMalloc"));
}

TEST(Blocks, ARangeInMemoryThatWasFreedIsRefused) {
  Blocks blocks;
  blocks.claim(at(0x1000), 0x1000, 3, "the memory of device 3");
  blocks.add(device_block(0x1000, 64));
  EXPECT_TRUE(blocks.take(at(0x1000), {BlockKind::Device}).ok());
  const Status status = blocks.check_range(at(0x1000), 64, "src");
  EXPECT_EQ(status.code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(status.message, HasSubstr("src = 0x1000 lies in the memory of device 3 where no block is allocated"));
}

TEST(Blocks, NeighbouringMappingsAreOneRange) {
  Blocks blocks;
  const auto mapped = [](uintptr_t base) {
    return Block{.base = at(base),
                 .size = 0x1000,
                 .kind = BlockKind::Mapped,
                 .device = 0,
                 .flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
                 .owner = "aclrtMapMem"};
  };
  blocks.add(mapped(0x1000));
  blocks.add(mapped(0x2000));
  EXPECT_TRUE(blocks.check_range(at(0x1800), 0x1800, "dst").ok());
  EXPECT_EQ(blocks.check_range(at(0x1800), 0x1801, "dst").code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(Blocks, TakingTheWrongThingSaysWhatItIsAndHowToFreeIt) {
  Blocks blocks;
  blocks.claim(at(0x1000), 0x1000, 3, "the memory of device 3");
  blocks.add(device_block(0x1000, 64));
  blocks.add({.base = at(0x9000), .size = 64, .kind = BlockKind::Host, .owner = "aclrtMallocHost"});
  const auto refusal = [&](uintptr_t address) {
    const auto taken = blocks.take(at(address), {BlockKind::Device});
    EXPECT_FALSE(taken.ok());
    EXPECT_EQ(taken.status().code, ACL_ERROR_RT_PARAM_INVALID);
    return taken.status().message;
  };
  EXPECT_THAT(refusal(0x9000),
              HasSubstr("pinned host memory (64 bytes, from aclrtMallocHost); free it with aclrtFreeHost"));
  EXPECT_THAT(refusal(0x1010), HasSubstr("16 bytes inside device memory"));
  EXPECT_THAT(refusal(0x1800), HasSubstr("lies in the memory of device 3"));
  EXPECT_THAT(refusal(0x77770), HasSubstr("not memory that this library allocated"));
  EXPECT_TRUE(blocks.take(at(0x1000), {BlockKind::Device}).ok());
  EXPECT_THAT(refusal(0x1000),
              HasSubstr("freed already: it was device memory (64 bytes of device 3, from aclrtMalloc)"));
}

TEST(Blocks, ForeignMemoryMayNotOverlapWhatIsKnown) {
  Blocks blocks;
  const Block range{.base = at(0x5000), .size = 0x100, .kind = BlockKind::Registered, .owner = "aclrtHostRegister"};
  EXPECT_TRUE(blocks.add_foreign(range).ok());
  Block second = range;
  second.base = at(0x50ff);
  const Status status = blocks.add_foreign(second);
  EXPECT_EQ(status.code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(status.message, HasSubstr("overlap registered host memory"));
  second.base = at(0x5100);
  EXPECT_TRUE(blocks.add_foreign(second).ok());
}

TEST(Blocks, OwnersAreKeptOncePerText) {
  const std::string text = "weights of model 1";
  EXPECT_EQ(lasting_owner(text), lasting_owner("weights of model 1"));
  EXPECT_STREQ(lasting_owner(text), "weights of model 1");
}

}  // namespace
}  // namespace belay
