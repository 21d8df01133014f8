// SPDX-License-Identifier: Apache-2.0
// acl.rt: kernels that a program brings along.
#include "bind.h"
#include "key.h"

namespace belay::python {
namespace {

// Options and configurations as C wants them: none for [].
class Options {
 public:
  explicit Options(const LoadOptions& given) : list_(given.options), options_{list_.data(), list_.size()} {}
  aclrtBinaryLoadOptions* get() { return list_.empty() ? nullptr : &options_; }

 private:
  List<aclrtBinaryLoadOption> list_;
  aclrtBinaryLoadOptions options_;
};

class Config {
 public:
  explicit Config(const LaunchConfig& given) : list_(given.attributes), config_{list_.data(), list_.size()} {}
  aclrtLaunchKernelCfg* get() { return list_.empty() ? nullptr : &config_; }

 private:
  List<aclrtLaunchKernelAttr> list_;
  aclrtLaunchKernelCfg config_;
};

aclError load_data(const void* data, size_t length, const LoadOptions& options, aclrtBinHandle* binary) {
  return aclrtBinaryLoadFromData(data, length, Options(options).get(), binary);
}

aclError load_file(const char* path, const LoadOptions& options, aclrtBinHandle* binary) {
  return aclrtBinaryLoadFromFile(path, Options(options).get(), binary);
}

aclError function_name(aclrtFuncHandle function, uint32_t length, std::string* name) {
  return fill_text(length, *name, [&](char* to) { return aclrtGetFunctionName(function, length, to); });
}

aclError launch_with_config(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream, const LaunchConfig& config,
                            aclrtArgsHandle arguments, void* reserve) {
  return aclrtLaunchKernelWithConfig(function, blocks, stream, Config(config).get(), arguments, reserve);
}

aclError launch_with_host_args(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream,
                               const LaunchConfig& config, void* arguments, size_t size, const PlaceHolders& holders,
                               size_t count) {
  List<aclrtPlaceHolderInfo> places = holders.places;
  return aclrtLaunchKernelWithHostArgs(function, blocks, stream, Config(config).get(), arguments, size, places.data(),
                                       std::min(count, places.size()));
}

}  // namespace

PyMethodDef* rt_kernel_methods() {
  static PyMethodDef methods[] = {row<"create_binary", aclrtCreateBinary>(),
                                  row<"destroy_binary", aclrtDestroyBinary>(),
                                  row<"binary_load", aclrtBinaryLoad>(),
                                  row<"binary_unload", aclrtBinaryUnLoad>(),
                                  row<"binary_get_function", aclrtBinaryGetFunction>(),
                                  row<"binary_load_from_data", load_data>(),
                                  row<"binary_load_from_file", load_file>(),
                                  row<"register_cpu_func", aclrtRegisterCpuFunc>(),
                                  row<"get_function_name", function_name>(),
                                  row<"get_function_addr", aclrtGetFunctionAddr>(),
                                  row<"launch_kernel", aclrtLaunchKernel>(),
                                  row<"launch_kernel_with_config", launch_with_config>(),
                                  row<"launch_kernel_with_host_args", launch_with_host_args>(),
                                  row<"kernel_args_init", aclrtKernelArgsInit>(),
                                  row<"kernel_args_init_by_user_mem", aclrtKernelArgsInitByUserMem>(),
                                  row<"kernel_args_append", aclrtKernelArgsAppend>(),
                                  row<"kernel_args_append_place_holder", aclrtKernelArgsAppendPlaceHolder>(),
                                  row<"kernel_args_para_update", aclrtKernelArgsParaUpdate>(),
                                  row<"kernel_args_get_handle_mem_size", aclrtKernelArgsGetHandleMemSize>(),
                                  row<"kernel_args_get_mem_size", aclrtKernelArgsGetMemSize>(),
                                  row<"kernel_args_get_place_holder_buffer", aclrtKernelArgsGetPlaceHolderBuffer>(),
                                  row<"kernel_args_finalize", aclrtKernelArgsFinalize>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
