// SPDX-License-Identifier: Apache-2.0
// fault FOLDER WHAT: one rank of several processes in which something goes wrong; RANK and WORLD_SIZE say which it is.
// Each rank that lives prints what it got and when, then the survivors make a new communicator and use it.
#include <signal.h>
#include <sys/prctl.h>

#include <filesystem>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "ranks/together.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kGuilty = 1;

std::string folder, what;
uint32_t rank, size;
aclrtStream stream;

void say(const char* about, int code, HcclResult error, Clock::time_point start) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  const char* text = aclGetRecentErrMsg();
  std::printf("%s: code %d, asynchronous %d, %d ms: %s\n", about, code, error, static_cast<int>(took.count()),
              text ? text : "");
  std::fflush(stdout);
}

class Data {
 public:
  explicit Data(size_t count) { CHECK(aclrtMalloc(&memory_, count * 4, ACL_MEM_MALLOC_HUGE_FIRST)); }
  ~Data() { aclrtFree(memory_); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

// All wait until each has come here.
void agree(const std::string& about) {
  const auto path = [&](uint32_t who) { return folder + "/" + about + std::to_string(who); };
  if (FILE* file = std::fopen(path(rank).c_str(), "wb")) std::fclose(file);
  for (uint32_t peer = 0; peer < size; ++peer)
    while (access(path(peer).c_str(), F_OK) != 0) usleep(1000);
}

// A communicator of all ranks that has worked on each of them.
HcclComm new_communicator() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  CHECK(HcclCommInitRootInfo(size, &token, rank, &comm));
  CHECK(HcclBarrier(comm, stream));
  CHECK(aclrtSynchronizeStream(stream));
  agree("ready");
  return comm;
}

// The sum of the ranks' numbers plus one, by a new communicator of those ranks that are left.
void use_again(uint32_t new_rank, uint32_t new_size) {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/second", new_rank == 0);
  CHECK(HcclCommInitRootInfo(new_size, &token, new_rank, &comm));
  const Data data(1);
  int32_t value = static_cast<int32_t>(new_rank) + 1;
  CHECK(aclrtMemcpy(data.get(), 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
  aclrtStream fresh = nullptr;
  CHECK(aclrtCreateStream(&fresh));
  CHECK(HcclAllReduce(data.get(), data.get(), 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, fresh));
  CHECK(aclrtSynchronizeStream(fresh));
  CHECK(aclrtMemcpy(&value, 4, data.get(), 4, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(HcclCommDestroy(comm));
  std::printf("again: %s\n", value == static_cast<int32_t>(new_size * (new_size + 1) / 2) ? "right" : "WRONG");
}

// Those behind the guilty rank move up.
void use_again_without_guilty() {
  if (rank != kGuilty) use_again(rank < kGuilty ? rank : rank - 1, size - 1);
}

int reduce(HcclComm comm, const Data& data, uint64_t count) {
  if (const int code = HcclAllReduce(data.get(), data.get(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream))
    return code;
  return aclrtSynchronizeStream(stream);
}

// What all ranks add up: each gives its number and a half.
std::vector<float> sum_of_halves(HcclComm comm, const Data& data) {
  std::vector<float> values(1 << 20, static_cast<float>(rank) + 0.5f);
  CHECK(aclrtMemcpy(data.get(), values.size() * 4, values.data(), values.size() * 4, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(reduce(comm, data, values.size()));
  CHECK(aclrtMemcpy(values.data(), values.size() * 4, data.get(), values.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST));
  return values;
}

void report(HcclComm comm, int code, Clock::time_point start) {
  HcclResult error = HCCL_SUCCESS;
  CHECK(HcclGetCommAsyncError(comm, &error));
  say("operation", code, error, start);
  CHECK(HcclCommDestroy(comm));
}

// The guilty rank ends, or stops, before the operation.
void lose_before(HcclComm comm, const Data& data) {
  if (rank == kGuilty) {
    if (what == "kill") kill(getpid(), SIGKILL);
    if (what == "abort") std::abort();
    if (what == "exit") std::exit(0);
    if (what == "stop") kill(getpid(), SIGSTOP);
  }
  const auto start = Clock::now();
  const int code = reduce(comm, data, 1 << 20);
  report(comm, code, start);
}

// The guilty rank leaves as soon as it has its own result: nobody minds.
void leave_when_done(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  for (const uint64_t count : {1 << 20, 1, 5000}) CHECK(reduce(comm, data, count));
  report(comm, 0, start);
  if (rank == kGuilty) std::_Exit(0);
}

// The guilty rank is killed at any moment of many operations.
void lose_at_work(HcclComm comm, const Data& data) {
  if (rank == kGuilty)
    std::thread([] {
      usleep(std::random_device()() % 30000);
      kill(getpid(), SIGKILL);
    }).detach();
  int code = 0;
  auto start = Clock::now();
  for (uint64_t turn = 0; code == 0; ++turn) {
    start = Clock::now();
    code = reduce(comm, data, turn % 3 == 0 ? 1 : turn % 3 == 1 ? 5000 : 1 << 20);
  }
  report(comm, code, start);
}

}  // namespace

extern "C" [[gnu::noinline]] void look_at_the_sky(HcclComm comm) {
  for (HcclResult error = HCCL_SUCCESS; error == HCCL_SUCCESS; usleep(1000)) CHECK(HcclGetCommAsyncError(comm, &error));
}

namespace {

// The guilty rank does something else.
void come_late(HcclComm comm, const Data& data) {
  if (rank == kGuilty) look_at_the_sky(comm);
  const auto start = Clock::now();
  const int code = reduce(comm, data, 1 << 20);
  report(comm, code, start);
}

// Two communicators, used in another order by the guilty rank.
void cross(HcclComm comm, const Data& data) {
  HcclComm comms[2] = {comm, nullptr};
  const HcclRootInfo token = shared_token(folder + "/crossed", rank == 0);
  CHECK(HcclCommInitRootInfo(size, &token, rank, &comms[1]));
  const auto start = Clock::now();
  int code = 0;
  for (const uint32_t which : {rank == kGuilty ? 1 : 0, rank == kGuilty ? 0 : 1})
    if (code == 0)
      code = HcclAllReduce(data.get(), data.get(), 1000, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[which], stream);
  if (code == 0) code = aclrtSynchronizeStream(stream);
  report(comm, code, start);
  CHECK(HcclCommDestroy(comms[1]));
}

void give_another_count(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  const int code = reduce(comm, data, rank == kGuilty ? 1000 : 1 << 20);
  report(comm, code, start);
}

// The guilty rank takes itself for the root. Who was done before that was known hears at its next operation.
void give_another_root(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  const uint32_t root = rank == kGuilty ? kGuilty : 0;
  int code = 0;
  for (const uint64_t count : {1000, 1 << 20, 1}) {
    if (code == 0) code = HcclBroadcast(data.get(), count, HCCL_DATA_TYPE_FP32, root, comm, stream);
    if (code == 0) code = aclrtSynchronizeStream(stream);
  }
  report(comm, code, start);
}

// Its array of counts says that nothing comes from it; those of the others say that something does.
void give_nothing(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  std::vector<uint64_t> counts(size, 5000), displacements(size);
  for (uint32_t peer = 0; peer < size; ++peer) displacements[peer] = peer * uint64_t{5000};
  if (rank == kGuilty) counts[rank] = 0;
  const Data all(size * size_t{5000});
  int code = HcclAllGatherV(data.get(), counts[rank], all.get(), counts.data(), displacements.data(),
                            HCCL_DATA_TYPE_FP32, comm, stream);
  if (code == 0) code = aclrtSynchronizeStream(stream);
  report(comm, code, start);
}

// Its matrix differs in what the others give each other. Who was done before that was known hears at its next
// operation.
void have_another_matrix(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  std::vector<uint64_t> matrix(size_t{size} * size, 1);
  if (rank == kGuilty) matrix[2] = 7;
  const Data in(size);
  int code = 0;
  for (int turn = 0; turn < 3; ++turn) {
    if (code == 0)
      code =
          HcclAlltoAllVC(data.get(), matrix.data(), HCCL_DATA_TYPE_FP32, in.get(), HCCL_DATA_TYPE_FP32, comm, stream);
    if (code == 0) code = aclrtSynchronizeStream(stream);
  }
  report(comm, code, start);
}

// It expects 4 elements of rank 0, which sends 5.
void expect_another_count(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  std::vector<uint64_t> sent(size, 5), received(size, 5), displacements(size);
  for (uint32_t peer = 0; peer < size; ++peer) displacements[peer] = peer * uint64_t{5};
  if (rank == kGuilty) received[0] = 4;
  const Data in(size * size_t{5});
  int code = 0;
  for (int turn = 0; turn < 3; ++turn) {
    if (code == 0)
      code = HcclAlltoAllV(data.get(), sent.data(), displacements.data(), HCCL_DATA_TYPE_FP32, in.get(),
                           received.data(), displacements.data(), HCCL_DATA_TYPE_FP32, comm, stream);
    if (code == 0) code = aclrtSynchronizeStream(stream);
  }
  report(comm, code, start);
}

void send_another_count(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  int code = 0;
  if (rank == kGuilty) code = HcclSend(data.get(), 5000, HCCL_DATA_TYPE_FP32, 0, comm, stream);
  if (rank == 0) code = HcclRecv(data.get(), 7000, HCCL_DATA_TYPE_FP32, kGuilty, comm, stream);
  if (rank > kGuilty) code = HcclRecv(data.get(), 7000, HCCL_DATA_TYPE_FP32, 0, comm, stream);  // told through rank 0
  if (code == 0) code = aclrtSynchronizeStream(stream);
  report(comm, code, start);
}

// Each rank sends to the next one before it receives.
void send_in_a_ring(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  int code = HcclSend(data.get(), 5000, HCCL_DATA_TYPE_FP32, (rank + 1) % size, comm, stream);
  if (code == 0) code = HcclRecv(data.get(), 5000, HCCL_DATA_TYPE_FP32, (rank + size - 1) % size, comm, stream);
  if (code == 0) code = aclrtSynchronizeStream(stream);
  report(comm, code, start);
}

size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

// The others wait in an operation that the guilty rank does not call; all give it up, agree, and go on.
void recover(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  size_t before = 0;
  for (int turn = 0; turn < 8; ++turn) {
    if (turn == 2) before = open_files();
    if (rank != kGuilty)  // refused when another rank has given up by then
      (void)HcclAllReduce(data.get(), data.get(), turn % 2 ? 100 : 1 << 20, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm,
                          stream);
    CHECK(HcclCommSuspend(comm));
    CHECK(aclrtDeviceTaskAbort(static_cast<int32_t>(rank), 0));
    agree("aborted" + std::to_string(turn));
    CHECK(HcclCommResume(comm));
    CHECK(sum_of_halves(comm, data) != std::vector<float>(1 << 20, static_cast<float>(size * size) / 2));
    agree("summed" + std::to_string(turn));  // else the next abort may hit a rank that is not done yet
  }
  CHECK(open_files() > before + 4);  // what was given up is given back
  report(comm, 0, start);
}

// Only the guilty rank's operation is aborted, and its stream takes five seconds to come to that.
void resume_slowly(HcclComm comm, const Data& data) {
  const auto start = Clock::now();
  if (rank == kGuilty) {
    CHECK(aclrtLaunchHostFunc(
        stream, [](void*) { sleep(5); }, nullptr));
    CHECK(HcclAllReduce(data.get(), data.get(), 100, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
    usleep(100000);  // its stream is at the function
  }
  CHECK(HcclCommSuspend(comm));
  if (rank == kGuilty) {
    std::thread([] {
      CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
      CHECK(aclrtStreamAbort(stream));
    }).detach();
    usleep(100000);
  }
  agree("aborted");
  CHECK(HcclCommResume(comm));
  CHECK(sum_of_halves(comm, data) != std::vector<float>(1 << 20, static_cast<float>(size * size) / 2));
  report(comm, 0, start);
}

// The guilty rank is stopped when the others resume; when they have been refused, it goes on, and they try again.
void resume_without_an_answer(HcclComm comm, const Data& data) {
  CHECK(HcclCommSuspend(comm));
  const std::string path = folder + "/stopped";
  if (rank == kGuilty) {
    if (FILE* file = std::fopen(path.c_str(), "w")) {
      std::fprintf(file, "%d", getpid());
      std::fclose(file);
    }
    agree("suspended");
    kill(getpid(), SIGSTOP);
  } else {
    agree("suspended");
    int guilty = 0;
    if (FILE* file = std::fopen(path.c_str(), "r")) {
      CHECK(std::fscanf(file, "%d", &guilty) != 1);
      std::fclose(file);
    }
    usleep(100000);
    const auto start = Clock::now();
    const int code = HcclCommResume(comm);
    say("operation", code, HCCL_SUCCESS, start);
    CHECK(HcclAllReduce(data.get(), data.get(), 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream) !=
          HCCL_E_SUSPENDING);
    usleep(3000000);  // the other one has been refused as well
    kill(guilty, SIGCONT);
  }
  CHECK(HcclCommResume(comm));
  CHECK(sum_of_halves(comm, data) != std::vector<float>(1 << 20, static_cast<float>(size * size) / 2));
  CHECK(HcclCommDestroy(comm));
}

void fail_at_work() {
  const HcclComm comm = new_communicator();
  const Data data(1 << 20);
  if (what == "work")
    lose_at_work(comm, data);
  else if (what == "count")
    give_another_count(comm, data);
  else if (what == "root")
    give_another_root(comm, data);
  else if (what == "nothing")
    give_nothing(comm, data);
  else if (what == "matrix")
    have_another_matrix(comm, data);
  else if (what == "expect")
    expect_another_count(comm, data);
  else if (what == "ring")
    send_in_a_ring(comm, data);
  else if (what == "late")
    come_late(comm, data);
  else if (what == "cross")
    cross(comm, data);
  else if (what == "leave")
    leave_when_done(comm, data);
  else if (what == "recover")
    recover(comm, data);
  else if (what == "slow")
    resume_slowly(comm, data);
  else if (what == "silent")
    resume_without_an_answer(comm, data);
  else if (what == "send")
    send_another_count(comm, data);
  else
    lose_before(comm, data);
  static const std::set<std::string> kAllLive = {"count", "root",  "nothing", "expect", "send",   "ring",
                                                 "late",  "cross", "recover", "slow",   "silent", "matrix"};
  if (kAllLive.contains(what))
    use_again(rank, size);
  else
    use_again_without_guilty();
}

// Two ranks of this process.
void use_threads() {
  HcclComm both[2] = {};
  int32_t devices[] = {0, 1};
  CHECK(HcclCommInitAll(2, devices, both));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      CHECK(aclrtSetDevice(i));
      aclrtStream own = nullptr;
      CHECK(aclrtCreateStream(&own));
      CHECK(HcclBarrier(both[i], own));
      CHECK(aclrtSynchronizeStream(own));
      CHECK(HcclCommDestroy(both[i]));
    });
  for (auto& thread : threads) thread.join();
  std::printf("again: right\n");
}

// The guilty rank does not make the part of the communicator that the others use.
void lack_a_part() {
  HcclComm comm = new_communicator(), part = nullptr;
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::vector<uint32_t> all(size);
  for (uint32_t one = 0; one < size; ++one) all[one] = one;
  const auto start = Clock::now();
  if (rank != kGuilty) {
    CHECK(HcclCreateSubCommConfig(&comm, size, all.data(), 1, rank, &config, &part));
    const Data data(1000);
    const int code = reduce(part, data, 1000);
    report(part, code, start);
  }
  agree("part");
  CHECK(HcclCommDestroy(comm));
  use_threads();
}

// The last rank claims the number of the guilty one.
void claim() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  const auto start = Clock::now();
  const int code = HcclCommInitRootInfo(size, &token, rank == size - 1 ? kGuilty : rank, &comm);
  say("creation", code, HCCL_SUCCESS, start);
  use_again(rank, size);
}

// No communicator is made, and none could be made afterwards by the guilty rank.
void creation() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  const auto start = Clock::now();
  const int code = HcclCommInitRootInfo(size, &token, rank, &comm);
  say("creation", code, HCCL_SUCCESS, start);
  agree("done");
  std::printf("again: right\n");
}

// The guilty rank is not started.
void never() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  const auto start = Clock::now();
  const int code = HcclCommInitRootInfo(size, &token, rank, &comm);
  say("creation", code, HCCL_SUCCESS, start);
  use_again_without_guilty();
}

// The guilty rank has a table of its own.
void table() {
  HcclComm comm = nullptr;
  const std::string path = folder + (rank == kGuilty ? "/other.json" : "/table.json");
  CHECK(HcclCommInitClusterInfo(path.c_str(), rank, &comm));
  const Data data(1000);
  const auto start = Clock::now();
  const int code = reduce(comm, data, 1000);
  report(comm, code, start);
  use_again(rank, size);
}

// Ranks that work although something is missing: no permission to read each other, no /dev/shm.
void work() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  CHECK(HcclCommInitRootInfo(size, &token, rank, &comm));
  const auto start = Clock::now();
  const Data data(1 << 20);
  CHECK(sum_of_halves(comm, data) != std::vector<float>(1 << 20, static_cast<float>(size * size) / 2));
  say("operation", 0, HCCL_SUCCESS, start);
  CHECK(HcclCommDestroy(comm));
  use_again(rank, size);
}

// Where no rank of another process can be met, those of this one still work.
void alone() {
  HcclComm comm = nullptr;
  const HcclRootInfo token = shared_token(folder + "/token", rank == 0);
  const auto start = Clock::now();
  const int code = HcclCommInitRootInfo(size, &token, rank, &comm);
  say("creation", code, HCCL_SUCCESS, start);
  use_threads();
}

// The network ends between the ranks, by the command in CUT.
void cut() {
  const HcclComm comm = new_communicator();
  const Data data(1 << 20);
  if (rank == kGuilty) CHECK(std::system(std::getenv("CUT")));
  const auto start = Clock::now();
  const int code = reduce(comm, data, 1 << 20);
  report(comm, code, start);
  use_threads();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  folder = argv[1];
  what = argv[2];
  rank = number("RANK");
  size = number("WORLD_SIZE", 1);
  if (what == "unreadable") prctl(PR_SET_DUMPABLE, 0);
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  CHECK(aclrtCreateStream(&stream));
  if (what == "claim")
    claim();
  else if (what == "creation")
    creation();
  else if (what == "never")
    never();
  else if (what == "part")
    lack_a_part();
  else if (what == "table")
    table();
  else if (what == "works" || what == "unreadable")
    work();
  else if (what == "alone")
    alone();
  else if (what == "cut")
    cut();
  else
    fail_at_work();
  std::fflush(stdout);
  return 0;
}
