// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dump/config/environment.h"
#include "dump/observers/model_observer.h"
#include "dump/writing/outlet.h"
#include "graph/model/graph.h"

namespace belay::dump {

// What the process dumps now: the configuration, the models that carry one, the outlet. One for the process; the
// functions are those of the C interface, without the check that aclInit was called. Safe from any thread.
class Recorder {
 public:
  explicit Recorder(Outlet& outlet) : outlet_(outlet) {}

  // aclInit was given this dump section; aclFinalize ends what it began, and waits for everything queued: 500001 with
  // the counts, which stderr has, too, when files were dropped.
  void start(DumpConfig config);
  Status end();
  // False inside a dump callback, which would wait for itself.
  bool may_wait() const { return outlet_.may_wait(); }
  // Until the files that are queued are on disk.
  void drain_files() { outlet_.drain_files(); }

  // aclmdlInitDump: 100002 when that was done, 100044 when aclInit's configuration dumps already.
  Status init();
  // 100045 before init().
  Status require_init() const;
  // aclmdlSetDump: replaces the configuration, also for the models that carry one.
  Status set(DumpConfig config);
  // aclmdlFinalizeDump: models no longer dump; waits for everything queued. 500001 with the counts when files were
  // dropped.
  Status finalize();

  Status register_callback(DumpCallback callback, int32_t flag);
  void unregister_callback() { outlet_.unregister_callback(); }

  // acldumpGetPath for operator and overflow dumps; null before the first configuration. The text stays good until
  // another is set.
  const char* data_path() const;

  // Who watches a model that is loaded now: nobody, unless the configuration chooses something in it.
  std::vector<std::shared_ptr<executor::Observer>> watch(const std::string& name,
                                                         const std::shared_ptr<const graph::Model>& model);
  // Who watches an operator that runs outside of a model now; null when nobody does.
  std::shared_ptr<executor::Observer> watch_operator(OperatorLevel level) const;

 private:
  struct Watched {
    std::weak_ptr<ModelObserver> observer;
    std::weak_ptr<const graph::Model> model;
  };

  void use(DumpConfig config, bool callback_only);
  void use_default_for_callback();
  void say_what_is_late() const;
  std::shared_ptr<const ModelPlan> plan_for(const std::string& name, const graph::Model& model) const;
  void clear();
  void say_what_matched_nothing() const;
  Status drops() const;
  void guard_the_end();

  Outlet& outlet_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool initialized_ = false, by_init_ = false;
  std::shared_ptr<const Setting> setting_;  // null: nothing is dumped
  std::vector<Watched> watched_;
  std::set<std::string> loaded_names_;  // of models loaded under this setting
  std::string data_path_;
};

// The one of the process. Its outlet takes its memory limit from BELAY_DUMP_MEMORY.
Recorder& recorder();

// Refuses by name what is understood but not done.
Status check_supported(const DumpConfig& config);

}  // namespace belay::dump
