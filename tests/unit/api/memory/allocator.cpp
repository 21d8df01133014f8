// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_rt_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl_rt.h"
#include "support/child.h"

namespace {

using testing::HasSubstr;

// A program's allocator that counts what is asked of it.
struct Pool {
  int allocated = 0, freed = 0;
};

void* allocate(aclrtAllocator pool, size_t size) {
  ++static_cast<Pool*>(pool)->allocated;
  return new char[size];
}
void release(aclrtAllocator pool, aclrtAllocatorBlock block) {
  ++static_cast<Pool*>(pool)->freed;
  delete[] static_cast<char*>(block);
}
void* allocate_at(aclrtAllocator pool, size_t size, aclrtAllocatorAddr) { return allocate(pool, size); }
void* address(aclrtAllocatorBlock block) { return block; }

class Allocator : public testing::Test {
 protected:
  void SetUp() override {
    desc = aclrtAllocatorCreateDesc();
    ASSERT_NE(desc, nullptr);
  }
  void TearDown() override { aclrtAllocatorUnregister(stream); }

  void fill() {
    ASSERT_EQ(aclrtAllocatorSetObjToDesc(desc, &pool), ACL_SUCCESS);
    ASSERT_EQ(aclrtAllocatorSetAllocFuncToDesc(desc, allocate), ACL_SUCCESS);
    ASSERT_EQ(aclrtAllocatorSetFreeFuncToDesc(desc, release), ACL_SUCCESS);
    ASSERT_EQ(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address), ACL_SUCCESS);
  }

  Pool pool;
  aclrtAllocatorDesc desc = nullptr;
  aclrtStream stream = reinterpret_cast<aclrtStream>(0x10);  // only a key
};

TEST_F(Allocator, NullDescriptorsAndValuesAreRefused) {
  EXPECT_EQ(aclrtAllocatorSetObjToDesc(nullptr, &pool), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorSetObjToDesc(desc, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorSetAllocFuncToDesc(desc, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorSetFreeFuncToDesc(desc, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorDestroyDesc(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("allocatorDesc"));
  EXPECT_EQ(aclrtAllocatorDestroyDesc(desc), ACL_SUCCESS);
}

TEST_F(Allocator, ADescriptorThatLacksAFunctionIsRefused) {
  ASSERT_EQ(aclrtAllocatorSetObjToDesc(desc, &pool), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetAllocFuncToDesc(desc, allocate), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetFreeFuncToDesc(desc, release), ACL_SUCCESS);
  EXPECT_EQ(aclrtAllocatorRegister(stream, desc), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("get-address"));
  aclrtAllocatorDestroyDesc(desc);
}

TEST_F(Allocator, TheDefaultStreamCannotBeNamedByNull) {
  fill();
  EXPECT_EQ(aclrtAllocatorRegister(nullptr, desc), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorRegister(stream, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorUnregister(nullptr), ACL_ERROR_INVALID_PARAM);
  aclrtAllocatorDestroyDesc(desc);
}

TEST_F(Allocator, WhatWasRegisteredIsHandedOutAfterTheDescriptorIsGone) {
  fill();
  ASSERT_EQ(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, allocate_at), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorRegister(stream, desc), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorDestroyDesc(desc), ACL_SUCCESS);

  aclrtAllocatorDesc found_desc = nullptr;
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc alloc = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc advise = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc get = nullptr;
  ASSERT_EQ(aclrtAllocatorGetByStream(stream, &found_desc, &object, &alloc, &free, &advise, &get), ACL_SUCCESS);
  EXPECT_EQ(found_desc, desc);
  EXPECT_EQ(object, &pool);
  EXPECT_EQ(advise, allocate_at);
  void* block = alloc(object, 16);
  EXPECT_EQ(get(block), block);
  free(object, block);
  EXPECT_EQ(pool.allocated, 1);  // our own calls and nobody else's
  EXPECT_EQ(pool.freed, 1);
}

TEST_F(Allocator, TheLastRegistrationWins) {
  fill();
  Pool other;
  ASSERT_EQ(aclrtAllocatorRegister(stream, desc), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetObjToDesc(desc, &other), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorRegister(stream, desc), ACL_SUCCESS);
  aclrtAllocatorDesc found = nullptr;
  aclrtAllocator object = nullptr;
  ASSERT_EQ(aclrtAllocatorGetByStream(stream, &found, &object, nullptr, nullptr, nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(object, &other);
  aclrtAllocatorDestroyDesc(desc);
}

TEST_F(Allocator, AStreamWithoutOneIsSaidToHaveNone) {
  aclrtAllocatorDesc found = nullptr;
  EXPECT_EQ(aclrtAllocatorGetByStream(stream, &found, nullptr, nullptr, nullptr, nullptr, nullptr),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("no allocator is registered"));
  EXPECT_EQ(aclrtAllocatorGetByStream(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtAllocatorUnregister(stream), ACL_SUCCESS);
  aclrtAllocatorDestroyDesc(desc);
}

class AllocatorChild : public Allocator {};

TEST_F(AllocatorChild, DISABLED_IsRefusedOnThisSoc) {
  fill();
  EXPECT_EQ(aclrtAllocatorRegister(stream, desc), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("Ascend310B1"));
  EXPECT_EQ(aclrtAllocatorRegister(nullptr, desc), ACL_ERROR_INVALID_PARAM);
  aclrtAllocatorDesc found = nullptr;
  EXPECT_EQ(aclrtAllocatorGetByStream(stream, &found, nullptr, nullptr, nullptr, nullptr, nullptr),
            ACL_ERROR_INVALID_PARAM);
  aclrtAllocatorDestroyDesc(desc);
}

TEST_F(AllocatorChild, DISABLED_WorksOnThisSoc) {
  fill();
  EXPECT_EQ(aclrtAllocatorRegister(stream, desc), ACL_SUCCESS);
  aclrtAllocatorDestroyDesc(desc);
}

TEST(AllocatorOfAProgram, IsRefusedOnTheAtlas200IAnd500A2Only) {
  belay::test::expect_passes_with({{"BELAY_SOC_NAME", "Ascend310B1"}}, "AllocatorChild.DISABLED_IsRefusedOnThisSoc");
  for (const char* soc : {"Ascend310P3", "Ascend910B3"})
    belay::test::expect_passes_with({{"BELAY_SOC_NAME", soc}}, "AllocatorChild.DISABLED_WorksOnThisSoc");
}

}  // namespace
