// SPDX-License-Identifier: Apache-2.0
// Thousands of aclnn calls of a few hundred elements, both phases each, as an engine issues them.
//
//   bench_small_calls HOW CALLS
//
// HOW: waited, the stream is waited for after each call; queued, after each hundred; grown, as queued with sizes that
// no call had before. Prints what a call took: nanoseconds, and nanoseconds of processor time.
#include <sys/resource.h>

#include <chrono>
#include <cstring>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_softmax.h"
#include "engine.h"

namespace {

constexpr int64_t kColumns = 16;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Calls {
 public:
  explicit Calls(Engine& engine) : e_(engine) {
    const float one = 1;
    one_ = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    const int64_t order[] = {1, 0};
    order_ = aclCreateIntArray(order, 2);
  }
  ~Calls() {
    aclDestroyScalar(one_);
    aclDestroyIntArray(order_);
  }

  // Call `number` of a round of eight, on so many rows.
  void issue(int number, int64_t rows) {
    const Block a = block(ACL_FLOAT, {rows, kColumns}), b = block(ACL_FLOAT, {rows, kColumns}),
                out = block(ACL_FLOAT, {rows, kColumns});
    switch (number % 8) {
      case 0:
        CALL(e_, aclnnAdd, Tensor(*a), Tensor(*b), one_, Tensor(*out));
        break;
      case 1:
        CALL(e_, aclnnMul, Tensor(*a), Tensor(*b), Tensor(*out));
        break;
      case 2:
        CALL(e_, aclnnSoftmax, Tensor(*a), int64_t{-1}, Tensor(*out));
        break;
      case 3: {
        const Block gamma = block(ACL_FLOAT, {kColumns}), rstd = block(ACL_FLOAT, {rows, 1}),
                    sum = block(ACL_FLOAT, {rows, kColumns});
        CALL(e_, aclnnAddRmsNorm, Tensor(*a), Tensor(*b), Tensor(*gamma), 1e-5, Tensor(*out), Tensor(*rstd),
             Tensor(*sum));
        break;
      }
      case 4: {
        const Block square = block(ACL_FLOAT, {kColumns, kColumns});
        CALL(e_, aclnnMatmul, Tensor(*a), Tensor(square->turned()), Tensor(*out), int8_t{0});
        break;
      }
      case 5: {
        const Block half = block(ACL_FLOAT16, {rows, kColumns});
        CALL(e_, aclnnCast, Tensor(*a), ACL_FLOAT16, Tensor(*half));
        break;
      }
      case 6:
        CALL(e_, aclnnPermute, Tensor(*a), order_, Tensor(out->as({kColumns, rows})));
        break;
      default:
        CALL(e_, aclnnInplaceAdd, Tensor(*a), Tensor(*b), one_);
    }
  }

 private:
  Block block(aclDataType type, std::vector<int64_t> shape) { return e_.block(type, std::move(shape)); }

  Engine& e_;
  aclScalar* one_ = nullptr;
  aclIntArray* order_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "bench_small_calls waited|queued|grown CALLS\n"), 2;
  const bool waited = !std::strcmp(words[1], "waited"), grown = !std::strcmp(words[1], "grown");
  const int calls = std::atoi(words[2]);
  Engine engine(".", size_t{8} << 20);
  Calls small(engine);
  for (int i = 0; i < 800; ++i) small.issue(i, 20);
  engine.synchronize();
  const double processor = processor_seconds();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    small.issue(i, grown ? 20 + i / 8 : 20);
    if (waited || i % 100 == 99) engine.synchronize();
  }
  engine.synchronize();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.0f %.0f\n", seconds / calls * 1e9, (processor_seconds() - processor) / calls * 1e9);
  return 0;
}
