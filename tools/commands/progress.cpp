// SPDX-License-Identifier: Apache-2.0
#include "commands/progress.h"

#include <unistd.h>

#include <cstdio>

namespace belay::tools {
namespace {

using namespace std::chrono_literals;
constexpr size_t width = 40;

}  // namespace

Progress::Progress(std::string what, size_t total)
    : what_(std::move(what)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
}

void Progress::advance() {
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - start_ < 2s || now - drawn_ < 100ms) return;
  drawn_ = now;
  draw();
}

void Progress::draw() {
  visible_ = true;
  const size_t filled = total_ == 0 ? width : width * done_ / total_;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::fprintf(stderr, "\r%s [%s] %zu/%zu", what_.c_str(), bar.c_str(), done_, total_);
  std::fflush(stderr);
}

}  // namespace belay::tools
