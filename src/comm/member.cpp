// SPDX-License-Identifier: Apache-2.0
#include <sys/uio.h>
#include <unistd.h>

#include <climits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "base/files/file.h"
#include "base/text.h"
#include "comm/meeting/meeting.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

std::string link_target(const char* path) {
  char text[PATH_MAX];
  const ssize_t length = readlink(path, text, sizeof text);
  return length > 0 ? std::string(text, static_cast<size_t>(length)) : std::string();
}

std::string boot_id() {
  const auto text = read_text("/proc/sys/kernel/random/boot_id", 4096);
  return text.ok() ? std::string(trimmed(*text)) : std::string();
}

}  // namespace

// Another one in a forked child.
const std::string& process_name() {
  static auto& mutex = *new std::mutex;
  static const std::string* name = nullptr;
  static pid_t named = -1;
  std::lock_guard lock(mutex);
  if (std::exchange(named, getpid()) == getpid()) return *name;
  std::random_device device;
  return *(name = new std::string(formatted("{}-{}{}", getpid(), device(), device())));
}

std::string Member::text() const {
  return nlohmann::json{{"rank", rank}, {"size", size},   {"device", device}, {"pid", pid},  {"process", process},
                        {"host", host}, {"place", place}, {"link", link},     {"mark", mark}}
      .dump();
}

Result<Member> Member::parse(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  Member member;
  try {
    member.rank = json.at("rank");
    member.size = json.at("size");
    member.device = json.at("device");
    member.pid = json.at("pid");
    member.process = json.at("process");
    member.host = json.at("host");
    member.place = json.at("place");
    member.link = json.at("link");
    member.mark = json.at("mark");
  } catch (const nlohmann::json::exception&) {
    return Status{HCCL_E_INTERNAL, "a rank came with something that is not a member of a meeting: another version?",
                  "EI0015"};
  }
  return member;
}

Member this_process() {
  const std::string& name = process_name();
  Member member;
  member.pid = getpid();
  member.process = name;
  member.mark = reinterpret_cast<uintptr_t>(name.data());
  member.host = boot_id();
  member.place = member.host + link_target("/proc/self/ns/ipc") + link_target("/proc/self/ns/pid") +
                 link_target("/proc/self/ns/net") + formatted("user {}", geteuid());
  return member;
}

bool can_read(const Member& member) {
  std::string read(member.process.size(), '\0');
  const iovec here{read.data(), read.size()}, there{reinterpret_cast<void*>(member.mark), read.size()};
  return process_vm_readv(static_cast<pid_t>(member.pid), &here, 1, &there, 1, 0) >= 0 && read == member.process;
}

}  // namespace belay::comm
