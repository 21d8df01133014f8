// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/onednn/engine.h"

namespace belay::backend::cpu::onednn {

// A primitive and its arguments. Addresses that stay the same from run to run cost nothing.
class Call {
 public:
  Call() = default;
  template <class PrimitiveDesc>
  explicit Call(const PrimitiveDesc& desc, dnnl::primitive primitive) : primitive_(std::move(primitive)) {
    scratch_bytes_ = desc.scratchpad_desc().get_size();
    if (scratch_bytes_ > 0) add(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  }

  explicit operator bool() const { return primitive_.get(true) != nullptr; }
  void add(int argument, const Desc& desc);
  void set(int argument, const void* data);
  void set_scratch(void* data);
  size_t scratch_bytes() const { return scratch_bytes_; }
  Status run();

 private:
  struct Argument {
    int id;
    void* data;
    dnnl::memory memory;
  };

  dnnl::primitive primitive_;
  std::vector<Argument> arguments_;
  std::vector<dnnl_exec_arg_t> list_;
  size_t scratch_bytes_ = 0;
};

// Copies float data from one order to another.
Status convert(const Desc& from_desc, const void* from, const Desc& to_desc, void* to);

}  // namespace belay::backend::cpu::onednn
