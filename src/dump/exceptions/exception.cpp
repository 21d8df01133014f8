// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/exception.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "base/endings/trap.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"
#include "base/threads/thread_object.h"
#include "dump/config/inside.h"
#include "dump/exceptions/core_file.h"
#include "dump/exceptions/evidence.h"
#include "dump/format/names.h"
#include "dump/observers/recorder.h"

namespace belay::dump {
namespace {

using executor::Running;

constexpr mode_t kFileMode = 0400;

// The core of the crash that this thread met; empty: none.
struct Core {
  std::string path;  // that the thread's crash left; "" when there is none
};

const char* name_of(Scene scene) {
  switch (scene) {
    case Scene::None:
      return "none";
    case Scene::Brief:
      return "aic_err_brief_dump";
    case Scene::Norm:
      return "aic_err_norm_dump";
    case Scene::Detail:
      return "aic_err_detail_dump";
    case Scene::Watcher:
      return "watcher";
  }
  return "";
}

int open_lock(int device) {
  const char* directory = std::getenv("TMPDIR");
  const std::string path =
      formatted("{}/belay-detail-{}-{}.lock", directory && *directory ? directory : "/tmp", getuid(), device);
  return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

// A record lock belongs to a process: asked for again it is had, a forked child does not have it, and the system takes
// it back from a process that ends in whatever way. False when another process has it.
bool lock_file(int file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(file, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

long thread_id() { return syscall(SYS_gettid); }

// What the message of a failure ends with; and the line that tools look for in the log.
std::string told(const Result<std::string>& written) {
  if (!written.ok()) return "; its exception dump could not be written: " + written.status().message;
  log_error(LogModule::Dump, "[Dump][Exception] dump exception to file, tid:{}, path:{}", thread_id(), *written);
  return "; its exception dump is " + *written;
}

}  // namespace

ExceptionDump::ExceptionDump(Environment environment) : environment_(std::move(environment)) {
  environment_.path = absolute_path(environment_.path);
  for (const std::string& warning : environment_.warnings) log_notice(LogModule::Dump, "{}", warning);
  if (environment_.scene != Scene::None) switch_on(environment_.scene, absolute_path(environment_.scene_path));
}

void ExceptionDump::switch_on(Scene scene, std::string root) {
  scene_ = scene;
  root_ = std::move(root);
  enable_traps();
  executor::keep_inputs_whole();
}

Scene ExceptionDump::scene() const {
  std::lock_guard lock(mutex_);
  return scene_;
}

std::string ExceptionDump::root() const {
  std::lock_guard lock(mutex_);
  return root_;
}

bool ExceptionDump::enabled() const { return scene() != Scene::None; }

Status ExceptionDump::check(Scene scene) const {
  std::lock_guard lock(mutex_);
  if (scene != Scene::Detail || scene_ != Scene::None || !device_set_) return {};
  return {ACL_ERROR_INTERNAL_ERROR, "aic_err_detail_dump must be set before aclrtSetDevice is called"};
}

Status ExceptionDump::enable(Scene scene, const std::string& dump_path) {
  TRY(check(scene));
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (scene_ != Scene::None) {
    log_notice(LogModule::Dump, "dump_scene {} changes nothing: the exception dump {} is on, with its files in {}",
               name_of(scene), name_of(scene_), root_);
    return {};
  }
  configured_ = true;
  const std::string root = !environment_.path.empty() ? environment_.path
                           : !dump_path.empty()       ? local_path(dump_path)
                                                      : "./";
  switch_on(scene, absolute_path(root));
  return {};
}

void ExceptionDump::disable() {
  std::lock_guard lock(mutex_);
  if (configured_ && scene_ != Scene::Detail) scene_ = Scene::None;
}

bool ExceptionDump::lock_device(int device) {
  const auto [held, is_new] = locks_.try_emplace(device, -1);
  if (held->second < 0) held->second = open_lock(device);
  return held->second < 0 || lock_file(held->second);
}

void ExceptionDump::device_set(int device) {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  device_set_ = true;
  if (scene_ != Scene::Detail || lock_device(device)) return;
  scene_ = Scene::Brief;
  log_notice(LogModule::Dump,
             "another process uses device {} with aic_err_detail_dump; this one falls back to aic_err_brief_dump",
             device);
}

Result<std::string> ExceptionDump::directory() const {
  const std::string wanted = root() + "/extra-info/data-dump";
  char resolved[PATH_MAX];
  if (make_private_directories(wanted) && realpath(wanted.c_str(), resolved)) return std::string(resolved);
  return Status{ACL_ERROR_FAILURE, formatted("{} cannot be made, or cannot be read and written", wanted)};
}

Result<std::string> ExceptionDump::device_directory(int device) const {
  return make_inside(TRY(directory()), std::to_string(device));
}

Result<std::string> ExceptionDump::write(int device, std::string directory, std::string name, const Header& header,
                                         std::vector<Piece> pieces) {
  const std::string base = TRY(this->directory());
  const auto root = std::make_shared<const DumpRoot>(DumpRoot{.written = base, .real = base});
  directory = std::to_string(device) + (directory.empty() ? "" : "/") + directory;
  TRY(make_inside(base, directory));
  std::string head = TRY(encode(header));
  return files_.write_now(
      {.place = {root, std::move(directory), std::move(name)}, .head = std::move(head), .pieces = std::move(pieces)},
      kFileMode);
}

void ExceptionDump::crashed(const Running& running, const Trap& trap, const void* context) {
  if (scene() != Scene::Detail) return;
  try {
    const auto written = write_core_of(running, trap.signal, trap.address, context);
    if (written.ok()) thread_object<Core>().path = *written;
  } catch (const std::exception&) {
    // Nothing may be thrown through a signal handler; without a core, failed() tries again from where it is.
  }
}

Result<std::string> ExceptionDump::write_core_of(const Running& running, int signal, const void* address,
                                                 const void* context) {
  const std::string device = TRY(device_directory(running.run.device_id));
  const std::string path = formatted("{}/{}.{}.{}.{}.core", device, word(executor::kernel_name(running)),
                                     running.run.stream_id, running.run.task_id, millisecond_text(next_time()));
  CoreRequest request{.context = context, .signal = signal, .address = address};
  for (const auto& tensors : {running.inputs, std::span<const executor::Tensor>(running.outputs)})
    for (const auto& tensor : tensors)
      if (tensor.present && tensor.data)
        request.memory.push_back({static_cast<const std::byte*>(tensor.data), tensor.bytes()});
  request.memory.push_back(running.scratch);
  TRY(write_core(path, request));
  return path;
}

void ExceptionDump::failed(const Running& running, Status& why) {
  const Scene scene = this->scene();
  if (scene == Scene::None) return;
  if (scene == Scene::Detail) end_process(running, why);
  const bool typed = scene == Scene::Norm;
  Evidence evidence = gather_evidence(running, why, typed);
  if (evidence.empty()) return;
  evidence.header.dump_time = next_time();
  const auto& run = running.run;
  const std::string ids = typed ? formatted("{}.{}", word(running.node.type), word(running.node.name))
                                : formatted("exception_info.{}", run.stream_id);
  const std::string name = formatted("{}.{}.{}", ids, run.task_id, millisecond_text(evidence.header.dump_time));
  why.message += told(write(run.device_id, "", name, evidence.header, std::move(evidence.pieces)));
}

void ExceptionDump::end_process(const Running& running, Status& why) {
  const std::string& core = thread_object<Core>().path;
  if (core.empty()) {  // no signal: the kernel returned an error, and this is the stack that it returned to
    ucontext_t context;
    (void)getcontext(&context);
    const auto written = write_core_of(running, SIGABRT, nullptr, &context);
    why.message += told(written);
  } else {
    why.message += told(core);
  }
  const std::string text = formatted("{}; the process ends, as aic_err_detail_dump says", why.message);
  log_error(LogModule::Dump, "{}", text);
  (void)std::fprintf(stderr, "belay: %s\n", text.c_str());
  recorder().drain_files();
  std::_Exit(EXIT_FAILURE);
}

ExceptionDump& exceptions() {
  static auto& only = *new ExceptionDump(read_environment(std::getenv, make_private_directories));
  return only;
}

}  // namespace belay::dump
