// SPDX-License-Identifier: Apache-2.0
// A user's program: each rank runs a model of its own, on a device of its own, with a communicator for the model's
// operators. As threads: run_models FOLDER SIZE; as processes: the same with RANK set.
//
// FOLDER has rank<r>.om and in<r>_<i>.bin, and gets out<r>_<i>.bin. With table.json in it the communicator is made from
// that rank table, else from a token under the name GROUP ("tp"; "-" makes none); SPLIT=2 makes one named "half" of the
// ranks from 2 on as well. ACL_JSON is for aclInit, REPEAT executes several times. DROP=1 has that rank abort its
// stream before the model runs. Each rank says how it ended.
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "ranks/together.h"

namespace {

std::string folder;
std::atomic<int> failures{0};

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Model {
  uint32_t id = 0;
  aclmdlDesc* desc = aclmdlCreateDesc();
  aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
  std::vector<void*> results;
  std::vector<size_t> sizes;
};

void* add(aclmdlDataset* dataset, size_t bytes) {
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, bytes + 64, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, bytes)));
  return memory;
}

Model load(uint32_t rank) {
  Model model;
  CHECK(aclmdlLoadFromFile((folder + "/rank" + std::to_string(rank) + ".om").c_str(), &model.id));
  CHECK(aclmdlGetDesc(model.desc, model.id));
  for (size_t i = 0; i < aclmdlGetNumInputs(model.desc); ++i) {
    const auto bytes = read_file(folder + "/in" + std::to_string(rank) + "_" + std::to_string(i) + ".bin");
    void* memory = add(model.inputs, bytes.size());
    CHECK(aclrtMemcpy(memory, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
  }
  constexpr size_t kRoom = 4096;  // for outputs whose size only the run tells
  for (size_t i = 0; i < aclmdlGetNumOutputs(model.desc); ++i) {
    const size_t size = aclmdlGetOutputSizeByIndex(model.desc, i);
    model.results.push_back(add(model.outputs, size ? size : kRoom));
    model.sizes.push_back(size);
  }
  return model;
}

void write_outputs(const Model& model, uint32_t rank) {
  for (size_t i = 0; i < model.results.size(); ++i) {
    const aclTensorDesc* told = aclmdlGetDatasetTensorDesc(model.outputs, i);
    std::vector<char> bytes(told ? aclGetTensorDescSize(told) : model.sizes[i]);
    CHECK(aclrtMemcpy(bytes.data(), bytes.size(), model.results[i], bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    std::ofstream(folder + "/out" + std::to_string(rank) + "_" + std::to_string(i) + ".bin", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

HcclComm communicator(uint32_t rank, uint32_t size, const HcclRootInfo* token, const std::string& group) {
  HcclComm comm = nullptr;
  if (group == "-") return comm;
  if (!token) {
    CHECK(HcclCommInitClusterInfo((folder + "/table.json").c_str(), rank, &comm));
    return comm;
  }
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strncpy(config.hcclCommName, group.c_str(), sizeof config.hcclCommName - 1);
  CHECK(HcclCommInitRootInfoConfig(size, token, rank, &config, &comm));
  return comm;
}

HcclComm split(uint32_t rank, uint32_t size, HcclComm comm) {
  const uint32_t first = number("SPLIT");
  HcclComm made = nullptr;
  if (first == 0 || rank < first) return made;
  std::vector<uint32_t> ranks;
  for (uint32_t i = first; i < size; ++i) ranks.push_back(i);
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strcpy(config.hcclCommName, "half");
  CHECK(HcclCreateSubCommConfig(&comm, size - first, ranks.data(), 0, rank - first, &config, &made));
  return made;
}

// The model's operators between those that the program calls, and on the same communicator. Such a call fails when the
// model has failed by then; the stream says why.
int execute(const Model& model, HcclComm comm, aclrtStream stream, void* sum) {
  int refused = 0;
  const auto add_up = [&] {
    if (comm && !refused) refused = HcclAllReduce(sum, sum, 16, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream);
  };
  for (uint32_t i = 0; i < number("REPEAT", 1) && !refused; ++i) {
    add_up();
    if (const int code = refused ? 0 : aclmdlExecuteAsync(model.id, model.inputs, model.outputs, stream)) return code;
    add_up();
  }
  const int code = aclrtSynchronizeStream(stream);
  return code ? code : refused;
}

// The model of that rank waits in its stream until it is dropped there; the others' wait for it.
int execute_or_drop(const Model& model, aclrtStream stream, bool drops) {
  if (!drops) return execute(model, nullptr, stream, nullptr);
  CHECK(aclrtLaunchHostFunc(
      stream, [](void*) { usleep(500000); }, nullptr));
  CHECK(aclmdlExecuteAsync(model.id, model.inputs, model.outputs, stream));
  CHECK(aclrtStreamAbort(stream));
  usleep(1500000);  // time to tell the others before it leaves
  return aclrtSynchronizeStream(stream);
}

void work(uint32_t rank, uint32_t size, const HcclRootInfo* token, const std::string& group) {
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  HcclComm comm = communicator(rank, size, token, group), half = split(rank, size, comm);
  const Model model = load(rank);
  void* sum = nullptr;
  CHECK(aclrtMalloc(&sum, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  const bool drop = std::getenv("DROP") != nullptr;
  if (const int code =
          drop ? execute_or_drop(model, stream, rank == number("DROP")) : execute(model, comm, stream, sum)) {
    const char* text = aclGetRecentErrMsg();
    HcclResult async = HCCL_SUCCESS;
    if (comm) HcclGetCommAsyncError(comm, &async);
    std::printf("rank %u: %d, asynchronous error %d: %s\n", rank, code, async, text ? text : "");
    ++failures;
  } else {
    write_outputs(model, rank);
    std::printf("rank %u: done\n", rank);
  }
  if (half) CHECK(HcclCommDestroy(half));
  if (comm) CHECK(HcclCommDestroy(comm));
  CHECK(aclmdlUnload(model.id));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::printf("usage: %s FOLDER SIZE\n", argv[0]), 2;
  folder = argv[1];
  const auto size = static_cast<uint32_t>(std::atoi(argv[2]));
  const char *json = std::getenv("ACL_JSON"), *named = std::getenv("GROUP");
  const std::string group = named ? named : "tp";
  CHECK(aclInit(json));
  const bool table = std::filesystem::exists(folder + "/table.json"), process = std::getenv("RANK") != nullptr;
  const uint32_t rank = number("RANK");
  HcclRootInfo token{};
  if (!table && group != "-") {
    CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
    token = shared_token(folder + "/token", !process || rank == 0);
  }
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < size && !process; ++i) threads.emplace_back(work, i, size, table ? nullptr : &token, group);
  for (auto& thread : threads) thread.join();
  if (process) work(rank, size, table ? nullptr : &token, group);
  CHECK(aclFinalize());
  return failures ? 1 : 0;
}
