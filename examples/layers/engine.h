// SPDX-License-Identifier: Apache-2.0
// What an inference engine has around aclnn calls: one pool of device memory whose blocks are given back as soon as the
// call that needs them was issued, views, and the two phases of a call.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

inline void check(int code, const char* what) {
  if (code == 0) return;
  const char* why = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s returned %d: %s\n", what, code, why ? why : "");
  std::exit(1);
}
#define CHECK(call) check(call, #call)

inline size_t bytes_of(aclDataType type, int64_t count) {
  return type == ACL_INT4 ? static_cast<size_t>(count + 1) / 2 : static_cast<size_t>(count) * aclDataTypeSize(type);
}

// First fit. The stream runs calls in their order, so that a block may be taken again before its last user has run.
class Pool {
 public:
  explicit Pool(size_t bytes) : bytes_(bytes) { CHECK(aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST)); }
  ~Pool() { aclrtFree(memory_); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void* take(size_t bytes) {
    size_t at = 0;
    for (const auto& [begin, size] : taken_) {
      if (begin - at >= bytes) break;
      at = begin + size;
    }
    const size_t size = (bytes + 31) / 32 * 32;
    if (at + size > bytes_) check(1, "the pool is too small");
    taken_[at] = size;
    return static_cast<char*>(memory_) + at;
  }
  void give_back(void* block) {
    taken_.erase(static_cast<size_t>(static_cast<char*>(block) - static_cast<char*>(memory_)));
  }

 private:
  const size_t bytes_;
  void* memory_ = nullptr;
  std::map<size_t, size_t> taken_;
};

// A view of device memory. It owns nothing.
struct View {
  aclDataType type = ACL_FLOAT;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  void* memory = nullptr;

  int64_t count() const {
    int64_t all = 1;
    for (const int64_t dim : shape) all *= dim;
    return all;
  }
  static View dense(aclDataType type, std::vector<int64_t> shape, void* memory) {
    View made{type, std::move(shape), {}, 0, memory};
    return made.as(made.shape);
  }
  // The same elements, which are dense, in another shape.
  View as(std::vector<int64_t> other) const {
    View made = *this;
    made.shape = std::move(other);
    made.strides.assign(made.shape.size(), 1);
    for (size_t d = made.shape.size(); d-- > 1;) made.strides[d - 1] = made.strides[d] * made.shape[d];
    return made;
  }
  // The last two dimensions exchanged.
  View turned() const {
    View made = *this;
    std::swap(made.shape.end()[-1], made.shape.end()[-2]);
    std::swap(made.strides.end()[-1], made.strides.end()[-2]);
    return made;
  }
  View part(size_t dimension, int64_t begin, int64_t count) const {
    View made = *this;
    made.offset += begin * strides[dimension];
    made.shape[dimension] = count;
    return made;
  }
  aclTensor* make() const {
    const auto rank = shape.size();
    return aclCreateTensor(shape.data(), rank, type, strides.data(), offset, ACL_FORMAT_ND, shape.data(), rank, memory);
  }
};

// A dense tensor whose memory goes back to the pool with it.
class Block {
 public:
  Block(Pool& pool, aclDataType type, std::vector<int64_t> shape) : pool_(pool) {
    view_ = View::dense(type, std::move(shape), nullptr);
    view_.memory = pool_.take(bytes_of(type, view_.count()));
  }
  Block(Block&& other) noexcept : pool_(other.pool_), view_(std::exchange(other.view_, {})) {}
  ~Block() {
    if (view_.memory) pool_.give_back(view_.memory);
  }
  Block& operator=(Block&&) = delete;
  const View& operator*() const { return view_; }
  const View* operator->() const { return &view_; }

 private:
  Pool& pool_;
  View view_;
};

// An argument of an aclnn call as C wants it, for as long as the call is issued.
class Tensor {
 public:
  Tensor(const View& view) : made_(view.make()) {}
  ~Tensor() { aclDestroyTensor(made_); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  operator aclTensor*() const { return made_; }

 private:
  aclTensor* made_;
};

// A list of one tensor.
class List {
 public:
  List(const View& view) {
    const aclTensor* member = view.make();
    made_ = aclCreateTensorList(&member, 1);
  }
  ~List() { aclDestroyTensorList(made_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  operator aclTensorList*() const { return made_; }

 private:
  aclTensorList* made_;
};

// The device, a stream, the pool, and weights from files.
class Engine {
 public:
  Engine(std::string directory, size_t pool_bytes) : directory_(std::move(directory)) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream_));
    pool_ = new Pool(pool_bytes);
  }
  ~Engine() {
    delete pool_;
    for (void* weight : weights_) aclrtFree(weight);
    aclrtDestroyStream(stream_);
    aclrtResetDevice(0);
    aclFinalize();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Pool& pool() { return *pool_; }
  Block block(aclDataType type, std::vector<int64_t> shape) { return Block(*pool_, type, std::move(shape)); }

  // Memory that stays, filled from <directory>/<name>; zeros without a file.
  View weight(const std::string& name, aclDataType type, std::vector<int64_t> shape) {
    View made = View::dense(type, std::move(shape), nullptr);
    const size_t bytes = bytes_of(type, made.count());
    CHECK(aclrtMalloc(&made.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    weights_.push_back(made.memory);
    if (name.empty()) {
      CHECK(aclrtMemset(made.memory, bytes, 0, bytes));
      return made;
    }
    const auto read = contents(name);
    if (read.size() != bytes) check(1, (name + ": " + std::to_string(read.size()) + " bytes").c_str());
    CHECK(aclrtMemcpy(made.memory, bytes, read.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return made;
  }
  std::vector<char> contents(const std::string& name) const {
    std::ifstream file(directory_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const void* bytes, size_t count) const {
    std::ofstream(directory_ + "/" + name, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  }

  void to_device(const View& to, const void* from) {
    const size_t bytes = bytes_of(to.type, to.count());
    CHECK(aclrtMemcpyAsync(to.memory, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  }
  void to_host(void* to, const View& from) {
    const size_t bytes = bytes_of(from.type, from.count());
    CHECK(aclrtMemcpyAsync(to, bytes, from.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
  }
  void synchronize() { CHECK(aclrtSynchronizeStream(stream_)); }

  // Both phases; the workspace comes from the pool and goes back to it at once.
  template <class First, class Second, class... Arguments>
  void call(const char* name, First first, Second second, const Arguments&... arguments) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(first(plain(arguments)..., &size, &executor), name);
    void* workspace = size > 0 ? pool_->take(size) : nullptr;
    check(second(workspace, size, executor, stream_), name);
    if (workspace) pool_->give_back(workspace);
    ++calls_;
  }
  int calls() const { return calls_; }

 private:
  static aclTensor* plain(const Tensor& tensor) { return tensor; }
  static aclTensorList* plain(const List& list) { return list; }
  template <class T>
  static T plain(const T& value) {
    return value;
  }

  const std::string directory_;
  aclrtStream stream_ = nullptr;
  Pool* pool_ = nullptr;
  std::vector<void*> weights_;
  int calls_ = 0;
};
#define CALL(engine, name, ...) (engine).call(#name, name##GetWorkspaceSize, name, __VA_ARGS__)

inline aclDataType type_named(const std::string& name) {
  return name == "float16" ? ACL_FLOAT16 : name == "bfloat16" ? ACL_BF16 : ACL_FLOAT;
}
