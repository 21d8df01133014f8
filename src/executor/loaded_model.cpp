// SPDX-License-Identifier: Apache-2.0
#include "executor/loaded_model.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include "backend/known_operators.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "executor/compile/computed_constants.h"
#include "executor/compile/host_allocator.h"
#include "executor/compile/memory_estimate.h"
#include "executor/eager.h"
#include "executor/program.h"
#include "graph/infer/graph.h"

namespace belay::executor {
namespace {

using graph::TensorInfo;

constexpr size_t kAlignment = 64;
constexpr size_t kProgramsKept = 16;

using HostMemory = std::unique_ptr<void, decltype(&std::free)>;

// Of the file: not what was computed at load.
size_t count_weights(const graph::Model& model) {
  size_t bytes = 0;
  for (const auto& graph : model.graphs)
    for (const auto& node : graph.nodes)
      if (const auto* constant = graph::get_if<graph::Constant>(node.attributes, "value"))
        bytes += node.attributes.contains(kComputed) ? 0 : constant->bytes.size();
  return bytes;
}

// The outputs that the caller left to us: memory for them, which is freed again unless the run gets to its end.
class LeftToUs {
 public:
  explicit LeftToUs(std::span<Tensor> outputs) : outputs_(outputs) {}
  LeftToUs(const LeftToUs&) = delete;
  ~LeftToUs() {
    for (const size_t i : made_) std::free(std::exchange(outputs_[i].data, nullptr));
  }

  Status make(size_t i, size_t bytes) {
    if (outputs_[i].data) return {};
    outputs_[i].data = TRY(host_allocator().allocate(std::max<size_t>(bytes, 1)));
    made_.push_back(i);
    return {};
  }
  Status make(const Program& program) {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const TensorInfo& result = program.outputs()[i];
      TRY(make(i, graph::bytes_of(result.type, graph::element_count(result.shape))));
    }
    return {};
  }
  Status fill(size_t i, const LiveTensor& result) {
    const size_t bytes = graph::bytes_of(result.tensor.type, result.tensor.count());
    TRY(make(i, bytes));
    if (bytes > 0) std::memcpy(outputs_[i].data, result.tensor.data, bytes);  // else there may be no address
    outputs_[i].type = result.tensor.type;
    outputs_[i].shape = result.tensor.shape;
    return {};
  }
  // Of the run that used them. After a success they are the caller's.
  Status after(Status status) {
    if (status.ok()) made_.clear();
    return status;
  }

 private:
  const std::span<Tensor> outputs_;
  std::vector<size_t> made_;
};

// A model all of whose shapes are known at load.
class StaticModel : public LoadedModel {
 public:
  // `own_arena` is the program's arena, unless the caller has given one.
  StaticModel(std::shared_ptr<const graph::Model> model, std::unique_ptr<Program> program, HostMemory own_arena,
              void* given)
      : model_(std::move(model)),
        program_(std::move(program)),
        own_arena_(std::move(own_arena)),
        weight_bytes_(count_weights(*model_)) {
    program_->set_arena(own_arena_ ? own_arena_.get() : given);
    program_->tell_plan();
  }

  bool dynamic() const override { return false; }
  size_t work_bytes() const override { return program_->arena_bytes(); }
  size_t weight_bytes() const override { return weight_bytes_; }
  Result<std::vector<TensorInfo>> infer_outputs(std::span<const TensorInfo>) override { return program_->outputs(); }

  Result<size_t> prepare(std::span<const Tensor>) override { return size_t{0}; }

  Status run(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs, Allocator*) override {
    LeftToUs left(outputs);
    TRY(left.make(*program_));
    return left.after(program_->run(info, inputs, outputs));
  }

 private:
  const std::shared_ptr<const graph::Model> model_;
  const std::unique_ptr<Program> program_;
  const HostMemory own_arena_;
  const size_t weight_bytes_;
};

// A model whose shapes come with each execution. Shapes that can be told from the inputs' get a Program, kept for the
// next time; the others run node by node.
class DynamicModel : public LoadedModel {
 public:
  DynamicModel(std::shared_ptr<const graph::Model> model, ProgramOptions options)
      : model_(std::move(model)),
        options_(std::move(options)),
        eager_(*model_, options_),
        weight_bytes_(count_weights(*model_)) {}

  bool dynamic() const override { return true; }
  size_t work_bytes() const override { return 0; }
  size_t weight_bytes() const override { return weight_bytes_; }

  Result<std::vector<TensorInfo>> infer_outputs(std::span<const TensorInfo> inputs) override {
    graph::GraphInference inference(model_.get(), model_->main());
    TRY(inference.run(inputs));
    auto results = inference.results();
    for (TensorInfo& result : results) result.value = nullptr, result.partial = nullptr;
    return results;
  }

  Result<size_t> prepare(std::span<const Tensor> inputs) override {
    const auto kept = TRY(find_program(inputs));
    return kept->program ? arena_bytes(*kept->program) : 0;
  }

  Status run(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs,
             Allocator* given) override {
    Allocator& allocator = given ? *given : host_allocator();
    LeftToUs left(outputs);
    const auto kept = TRY(find_program(inputs));
    if (kept->program) {
      TRY(left.make(*kept->program));
      return left.after(given ? run_in(*given, *kept, info, inputs, outputs)
                              : run_in_own_arena(*kept, info, inputs, outputs));
    }
    std::vector<LiveTensor> taken;
    for (const Tensor& input : inputs) taken.push_back({input});
    auto results = eager_.run(model_->main(), GraphRole::Main, info, taken, allocator);
    const ThreadScope threads(options_.threads);
    for (const auto& observer : options_.observers) observer->ends(info);
    if (!results.ok()) return results.status();
    for (size_t i = 0; i < outputs.size() && i < (*results).size(); ++i) TRY(left.fill(i, (*results)[i]));
    return left.after({});
  }

 private:
  struct Kept {
    std::vector<graph::Shape> shapes;
    std::unique_ptr<Program> program;  // null: these shapes run node by node
    void* arena = nullptr;             // where the program's tensors are; of the run that goes on
  };

  static size_t arena_bytes(const Program& program) { return std::max(program.arena_bytes(), kAlignment); }

  static bool fits(const Kept& kept, std::span<const Tensor> inputs) {
    return std::equal(kept.shapes.begin(), kept.shapes.end(), inputs.begin(), inputs.end(),
                      [](const graph::Shape& shape, const Tensor& input) { return shape == input.shape; });
  }

  // The program for these shapes is first in the list from now on; the one that was used longest ago makes room. A run
  // holds its own, whatever becomes of the list.
  Result<std::shared_ptr<Kept>> find_program(std::span<const Tensor> inputs) {
    if (auto kept = find_kept(inputs)) return kept;
    auto made = std::make_shared<Kept>();
    std::vector<TensorInfo> infos;
    for (const Tensor& input : inputs) {
      made->shapes.push_back(input.shape);
      infos.push_back({input.type, input.shape});
    }
    bool not_static = false;
    auto program = Program::compile(*model_, model_->main(), GraphRole::Main, infos, options_, not_static);
    if (!program.ok() && !not_static) return program.status();
    if (program.ok()) made->program = std::move(program).value();
    if (auto kept = find_kept(inputs)) return kept;  // another thread was faster
    std::lock_guard lock(mutex_);
    if (kept_.size() == kProgramsKept) kept_.pop_back();
    kept_.push_front(made);
    return made;
  }

  std::shared_ptr<Kept> find_kept(std::span<const Tensor> inputs) {
    std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(kept_, [&](const auto& kept) { return fits(*kept, inputs); });
    if (found == kept_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front();
  }

  static Status run_in(Allocator& allocator, Kept& kept, const RunInfo& info, std::span<const Tensor> inputs,
                       std::span<Tensor> outputs) {
    void* arena = TRY(allocator.allocate(arena_bytes(*kept.program)));
    kept.arena = nullptr;
    kept.program->set_arena(arena);
    Status status = kept.program->run(info, inputs, outputs);
    allocator.free(arena);
    return status;
  }

  // All programs use one arena, as large as the largest of them needs it.
  Status run_in_own_arena(Kept& kept, const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const size_t bytes = arena_bytes(*kept.program);
    if (bytes > arena_bytes_) {
      arena_.reset();
      arena_bytes_ = 0;
      arena_.reset(TRY(host_allocator().allocate(bytes)));
      arena_bytes_ = bytes;
    }
    if (kept.arena != arena_.get()) kept.program->set_arena(arena_.get());
    kept.arena = arena_.get();
    return kept.program->run(info, inputs, outputs);
  }

  const std::shared_ptr<const graph::Model> model_;
  const ProgramOptions options_;
  EagerRunner eager_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Kept>> kept_;  // guarded by mutex_
  // Of the one run that goes on.
  HostMemory arena_{nullptr, std::free};
  size_t arena_bytes_ = 0;
  const size_t weight_bytes_;
};

Result<void*> make_arena(const graph::Model& model, const Program& program) {
  const size_t bytes = std::max(program.arena_bytes(), kAlignment);
  if (auto arena = host_allocator().allocate(bytes); arena.ok()) return arena;
  return Status{static_cast<aclError>(ACL_ERROR_GE_MEMORY_ALLOCATION),
                formatted("model {} needs {} bytes to work in, for which there is not enough host memory",
                          model.main().name, bytes)};
}

// The caller's memory when the program fits into it; null: our own, because what aclmdlQuerySize said is enough and the
// kernels turned out to want more.
Result<void*> choose_work_memory(const graph::Model& model, const Program& program, const LoadOptions& options) {
  if (!options.work_memory || options.work_bytes >= program.arena_bytes()) return options.work_memory;
  if (!options.observers.empty()) return static_cast<void*>(nullptr);  // watched nodes share less memory
  const size_t wanted = TRY(estimate_memory(model)).work_bytes;
  if (options.work_bytes >= wanted) return static_cast<void*>(nullptr);
  return Status{static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID),
                "workSize is " + std::to_string(options.work_bytes) + ", but the model needs " +
                    std::to_string(wanted) + " bytes; ask aclmdlQuerySize"};
}

}  // namespace

std::shared_ptr<const graph::Model> compute_constants(std::shared_ptr<const graph::Model> model,
                                                      const LoadOptions& options) {
  return compute_constants(std::move(model), ProgramOptions{threads_given(options.threads), options.only_kernels});
}

Result<std::unique_ptr<LoadedModel>> load(std::shared_ptr<const graph::Model> model, const LoadOptions& options) {
  // First of all, because without a shape rule for one of them the others would go unnamed.
  if (const std::string problems = backend::operators_without_kernel(*model); !problems.empty())
    return Status{ACL_ERROR_GE_FAILURE, problems};
  model = compute_constants(std::move(model), options);
  say_what_hits_nothing(*model);
  const ProgramOptions program_options{threads_given(options.threads), options.only_kernels, options.observers};
  bool not_static = false;
  auto program = Program::compile(*model, model->main(), GraphRole::Main, {}, program_options, not_static);
  if (program.ok()) {
    void* given = TRY(choose_work_memory(*model, **program, options));
    HostMemory own(given ? nullptr : TRY(make_arena(*model, **program)), std::free);
    return std::unique_ptr<LoadedModel>(
        std::make_unique<StaticModel>(std::move(model), std::move(program).value(), std::move(own), given));
  }
  if (!not_static) return program.status();
  return std::unique_ptr<LoadedModel>(std::make_unique<DynamicModel>(std::move(model), program_options));
}

}  // namespace belay::executor
