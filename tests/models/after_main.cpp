// SPDX-License-Identifier: Apache-2.0
// A program that keeps its models in a global object, whose destructor still uses them and loads others.
//
// after_main MODEL DIMENSIONS IN OUT
//
// The object is made before the first call, so that it is destroyed after whatever main left for the end. In main the
// model is executed with one image of 8 x 8 zeros; afterwards with IN, by the model of main and by one loaded anew, and
// OUT gets both results. DIMENSIONS are those of IN, "2,3,5,7".
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace {

#define CHECK(call)                                                                                      \
  do {                                                                                                   \
    if (const aclError code = (call); code != ACL_SUCCESS) {                                             \
      const char* why = aclGetRecentErrMsg();                                                            \
      (void)std::fprintf(stderr, "%s returned %d\n%s\n", #call, static_cast<int>(code), why ? why : ""); \
      _exit(1);                                                                                          \
    }                                                                                                    \
  } while (false)

constexpr size_t kMost = 1 << 20;  // bytes of an output

std::string execute(uint32_t model, const std::vector<int64_t>& dims, const std::string& bytes) {
  void *in = nullptr, *out = nullptr;
  CHECK(aclrtMalloc(&in, bytes.size(), ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&out, kMost, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(in, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
  CHECK(aclmdlAddDatasetBuffer(inputs, aclCreateDataBuffer(in, bytes.size())));
  CHECK(aclmdlAddDatasetBuffer(outputs, aclCreateDataBuffer(out, kMost)));
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
  CHECK(aclmdlSetDatasetTensorDesc(inputs, desc, 0));
  CHECK(aclmdlExecute(model, inputs, outputs));
  aclmdlDesc* about = aclmdlCreateDesc();
  CHECK(aclmdlGetDesc(about, model));
  const aclTensorDesc* given = aclmdlGetDatasetTensorDesc(outputs, 0);  // of models with dynamic shapes only
  std::string result(given ? aclGetTensorDescSize(given) : aclmdlGetOutputSizeByIndex(about, 0), '\0');
  CHECK(aclrtMemcpy(result.data(), result.size(), out, result.size(), ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(aclmdlDestroyDesc(about));
  aclDestroyTensorDesc(desc);
  for (aclmdlDataset* dataset : {inputs, outputs}) {
    CHECK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(dataset, 0)));
    CHECK(aclmdlDestroyDataset(dataset));
  }
  CHECK(aclrtFree(in));
  CHECK(aclrtFree(out));
  return result;
}

struct Session {
  std::string path, in, out;
  std::vector<int64_t> dims;
  uint32_t model = 0;

  ~Session() {
    size_t work = 0, weights = 0;
    CHECK(aclmdlQuerySize(path.c_str(), &work, &weights));
    uint32_t another = 0;
    CHECK(aclmdlLoadFromFile(path.c_str(), &another));
    const std::string results = execute(model, dims, in) + execute(another, dims, in);
    CHECK(aclmdlUnload(another));
    CHECK(aclmdlUnload(model));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    std::ofstream(out, std::ios::binary) << results;
  }
};
Session session;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  session.path = argv[1];
  std::istringstream text(argv[2]);
  for (std::string each; std::getline(text, each, ',');) session.dims.push_back(std::stoll(each));
  std::ifstream file(argv[3], std::ios::binary);
  session.in.assign(std::istreambuf_iterator<char>(file), {});
  session.out = argv[4];
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  CHECK(aclmdlLoadFromFile(argv[1], &session.model));
  (void)execute(session.model, {1, 3, 8, 8}, std::string(3 * 8 * 8 * sizeof(float), '\0'));
  return 0;
}
