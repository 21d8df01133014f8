// SPDX-License-Identifier: Apache-2.0
#include "commands/info_ranks.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "hccl/hccl.h"

namespace belay::tools {
namespace {

// The version of UCX, or why there is none.
nlohmann::json describe_ucx() {
  Dl_info library{};
  dladdr(reinterpret_cast<const void*>(&aclInit), &library);
  const std::string own = library.dli_fname ? library.dli_fname : "";
  void* engine = dlopen((own.substr(0, own.rfind('/') + 1) + "libbelay_ucx.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!engine) return {{"missing", dlerror()}};
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(engine, "ucp_get_version_string"));
  return {{"version", version ? version() : "?"}};
}

// Whether one process may read another's memory: a child is asked for a number.
bool can_read_processes() {
  static volatile int number = 0;
  int ready[2];
  if (pipe(ready) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    number = 4711;
    (void)!write(ready[1], "1", 1);
    pause();
    _exit(0);
  }
  char byte;
  int found = 0;
  const iovec here{&found, sizeof found}, there{const_cast<int*>(&number), sizeof found};
  const bool can = child > 0 && read(ready[0], &byte, 1) == 1 &&
                   process_vm_readv(child, &here, 1, &there, 1, 0) == sizeof found && found == 4711;
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  close(ready[0]);
  close(ready[1]);
  return can;
}

// As any program: the token says where ranks meet, and a bad variable is refused.
nlohmann::json describe_meeting() {
  HcclRootInfo token{};
  if (aclrtSetDevice(0) != ACL_SUCCESS) return {{"problem", "there is no device"}};
  const HcclResult code = HcclGetRootInfo(&token);
  const char* text = code == HCCL_SUCCESS ? nullptr : aclGetRecentErrMsg();
  nlohmann::json made;
  if (code == HCCL_SUCCESS) {
    uint32_t port = 0;
    std::memcpy(&port, token.internal + 64, sizeof port);
    made = {{"address", token.internal}, {"port", port}};
  } else {
    made = {{"problem", text ? text : HcclGetErrorString(code)}};
  }
  (void)aclrtResetDevice(0);
  return made;
}

nlohmann::json set_variables() {
  nlohmann::json found = nlohmann::json::object();
  for (char** one = environ; *one; ++one)
    if (const char* equals = std::strchr(*one, '='); equals && std::strncmp(*one, "HCCL_", 5) == 0)
      found[std::string(*one, static_cast<size_t>(equals - *one))] = equals + 1;
  return found;
}

}  // namespace

nlohmann::json describe_ranks() {
  return {{"ucx", describe_ucx()},
          {"reads_other_processes", can_read_processes()},
          {"meeting", describe_meeting()},
          {"variables", set_variables()}};
}

void print_ranks(const nlohmann::json& ranks) {
  std::printf("\n  ranks    as threads of one process: they read each other's memory\n");
  if (const auto& ucx = ranks["ucx"]; ucx.contains("version")) {
    const char* how = ranks["reads_other_processes"] ? "shared memory, and reading each other's (process_vm_readv)"
                                                     : "shared memory and TCP; this system forbids to read another "
                                                       "process (Yama, or another user)";
    std::printf("           in processes of this host, by UCX %s: %s\n", ucx["version"].get<std::string>().c_str(),
                how);
    std::printf("           on other hosts, by UCX: TCP\n");
  } else {
    std::printf("           in other processes: no; install Debian's package libucx0 (%s)\n",
                ucx["missing"].get<std::string>().c_str());
  }
  if (const auto& meeting = ranks["meeting"]; meeting.contains("problem"))
    std::printf("           they cannot meet: %s\n", meeting["problem"].get<std::string>().c_str());
  else
    std::printf(
        "           they meet at %s, port %u for device 0 (HCCL_IF_IP, HCCL_SOCKET_IFNAME, HCCL_IF_BASE_PORT)\n",
        meeting["address"].get<std::string>().c_str(), meeting["port"].get<unsigned>());
  for (const auto& [name, value] : ranks["variables"].items())
    std::printf("           %s=%s\n", name.c_str(), value.get<std::string>().c_str());
}

}  // namespace belay::tools
