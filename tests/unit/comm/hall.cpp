// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/hall.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>

namespace belay::comm {
namespace {

// This process opens no more files while it lives.
class WithoutDescriptors {
 public:
  WithoutDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~WithoutDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  WithoutDescriptors(const WithoutDescriptors&) = delete;
  WithoutDescriptors& operator=(const WithoutDescriptors&) = delete;

 private:
  rlimit before_{};
};

// The oracle is the processor time that the system counts: a thread that never rests takes all of it.
TEST(Hall, RestsWhileNobodyCanBeLetIn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the undefined-behaviour sanitizer opens a pipe to look at an object, and reports one that it cannot";
#endif
  const Listener listener = listen_at("127.0.0.1", 0);
  ASSERT_GE(listener.descriptor, 0);
  answer_at(listener);
  const int caller = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(listener.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const WithoutDescriptors none;
  EXPECT_EQ(no_descriptors_left(), "; this process may open no more files (ulimit -n 0)");
  ASSERT_EQ(connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::clock_t before = std::clock();
  usleep(500'000);
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
  close(caller);
}

}  // namespace
}  // namespace belay::comm
