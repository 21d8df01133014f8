// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/endings/endings.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/log/say_once.h"
#include "base/strict.h"
#include "base/text.h"
#include "base/threads/cores.h"
#include "dump/config/dump_path.h"
#include "dump/exceptions/exception.h"
#include "executor/model_registry.h"

namespace belay::dump {
namespace {

void say_all(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) log_notice(LogModule::Dump, "{}", warning);
}

bool dumps_data(const DumpConfig& config) {
  return config.kind() == Kind::Operator || config.kind() == Kind::Watch || config.kind() == Kind::Overflow;
}

OutletOptions outlet_options() {
  OutletOptions options;
  const char* synced = std::getenv("BELAY_DUMP_SYNC");
  options.synced = synced && std::string_view(synced) == "1";
  if (const char* text = std::getenv("BELAY_DUMP_MEMORY"); text && *text) {
    if (const auto bytes = parse_size(text); bytes && *bytes > 0)
      options.memory = *bytes;
    else
      say_once(LogModule::Dump, "BELAY_DUMP_MEMORY={} is not a size such as 64M: 256M is used", text);
  }
  options.file_threads = static_cast<unsigned>(std::clamp(usable_cores() / 2, 1, 4));
  return options;
}

Outlet* process_outlet = nullptr;  // of recorder()

// By exit, perhaps inside of a signal handler: nothing is locked.
void end_of_process() {
  if (!process_outlet->usable()) return;
  process_outlet->write_directly();
  if (!finish_now()) process_outlet->finish();
  const Files& files = process_outlet->files();
  if (files.dropped_files() == 0 || !log_enabled(LogModule::Dump, LogLevel::Error)) return;
  char text[128];
  const int length = snprintf(text, sizeof text, "belay: %llu dump files with %llu bytes could not be written\n",
                              static_cast<unsigned long long>(files.dropped_files()),
                              static_cast<unsigned long long>(files.dropped_bytes()));
  (void)!write(STDERR_FILENO, text, static_cast<size_t>(length));
}

}  // namespace

Status check_supported(const DumpConfig& config) {
  switch (config.kind()) {
    case Kind::None:
    case Kind::Operator:
    case Kind::Watch:
    case Kind::Overflow:
      return {};
    case Kind::Exception:
      return exceptions().check(config.scene);
  }
  return {};
}

void Recorder::use(DumpConfig config, bool callback_only) {
  say_all(config.warnings);
  if (config.kind() == Kind::Exception) (void)exceptions().enable(config.scene, config.path);  // it was checked
  if (!dumps_data(config)) return;
  auto root = std::make_shared<const DumpRoot>(make_root(config.path, std::time(nullptr)));
  if (remote_part(config.path)) {
    log_notice(LogModule::Dump, "dump_path \"{}\" is remote; files go below the working directory: {}", config.path,
               root->real);
    (void)make_private_directories(root->real);
  }
  if (!config.op_level && config.kind() != Kind::Operator)
    log_notice(LogModule::Dump,
               "dump_level \"kernel\" is for single operators here: operators of models are watched as a whole only");
  data_path_ = root->shown() + "/";
  if (!callback_only) {
    remove_leftovers_of_dumps(root->real);
    guard_the_end();
  }
  setting_ = std::make_shared<const Setting>(Setting{std::move(config), std::move(root), callback_only});
  loaded_names_.clear();
  for (const Watched& watched : watched_) {
    const auto observer = watched.observer.lock();
    const auto model = watched.model.lock();
    if (observer && model) observer->set_plan(plan_for(observer->name(), *model));
  }
}

// A callback between aclmdlInitDump and aclmdlFinalizeDump gets the outputs of all models, without any configuration.
void Recorder::use_default_for_callback() {
  if (!initialized_ || !outlet_.has_callback() || (setting_ && !setting_->callback_only)) return;
  use({.path = ".", .list = {{}}}, true);
}

std::shared_ptr<const ModelPlan> Recorder::plan_for(const std::string& name, const graph::Model& model) const {
  if (!applies(setting_->config, name, model)) return nullptr;
  Selection selection = select(setting_->config, name, model);
  say_all(selection.warnings);
  if (selection.empty()) return nullptr;
  if (setting_->config.stats) measure_constants(selection, setting_->config.statistics & kL2Norm);
  return std::make_shared<const ModelPlan>(ModelPlan{setting_, std::move(selection)});
}

void Recorder::start(DumpConfig config) {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  by_init_ = dumps_data(config);
  use(std::move(config), false);
}

Status Recorder::end() {
  outlet_.drain();  // callbacks that call us find everything as it was
  {
    const LogDelay delay;
    std::lock_guard lock(mutex_);
    say_what_matched_nothing();
    clear();
    initialized_ = by_init_ = false;
  }
  outlet_.drain();
  outlet_.memory().free_kept();
  leave_endings();
  Status dropped = drops();
  if (!dropped.ok() && log_enabled(LogModule::Dump, LogLevel::Error))
    (void)std::fprintf(stderr, "belay: %s\n", dropped.message.c_str());
  return dropped;
}

Status Recorder::init() {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (initialized_)
    return {ACL_ERROR_REPEAT_INITIALIZE, "aclmdlInitDump was called before; call aclmdlFinalizeDump first", "EP0008"};
  if (by_init_)
    return {ACL_ERROR_DUMP_ALREADY_RUN,
            "the configuration given to aclInit dumps already; leave its \"dump\" section out to use aclmdlSetDump",
            "EP0008"};
  initialized_ = true;
  use_default_for_callback();
  return {};
}

Status Recorder::require_init() const {
  std::lock_guard lock(mutex_);
  if (initialized_) return {};
  return {ACL_ERROR_DUMP_NOT_RUN, "aclmdlInitDump must be called before", "EP0008"};
}

Status Recorder::set(DumpConfig config) {
  TRY(check_supported(config));
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  const bool dumps = dumps_data(config);
  use(std::move(config), false);
  if (dumps) say_what_is_late();
  return {};
}

// Models that the configuration means, but that were loaded before any was set.
void Recorder::say_what_is_late() const {
  std::set<const graph::Model*> carried;
  for (const Watched& watched : watched_)
    if (!watched.observer.expired()) carried.insert(watched.model.lock().get());
  std::string late;
  for (const auto& model : executor::model_registry().all())
    if (!carried.contains(&model->model()) && applies(setting_->config, model->name(), model->model()))
      late += (late.empty() ? "\"" : ", \"") + model->name() + "\"";
  if (late.empty()) return;
  log_notice(LogModule::Dump, "{} was loaded before aclmdlSetDump and will not be dumped; reload it to dump it", late);
}

void Recorder::say_what_matched_nothing() const {
  if (!setting_) return;
  for (const ListItem& item : setting_->config.list) {
    if (item.model_name.empty() || loaded_names_.contains(item.model_name)) continue;
    log_notice(LogModule::Dump, "dump_list names model \"{}\", but no model of that name was loaded", item.model_name);
  }
}

void Recorder::clear() {
  for (const Watched& watched : watched_)
    if (const auto observer = watched.observer.lock()) observer->set_plan(nullptr);
  watched_.clear();
  loaded_names_.clear();
  setting_.reset();
  exceptions().disable();
}

Status Recorder::drops() const {
  const Drops dropped = outlet_.take_drops();
  if (dropped.files == 0) return {};
  return {ACL_ERROR_FAILURE,
          formatted("{} dump files with {} bytes could not be written; the first: {}", dropped.files, dropped.bytes,
                    dropped.first),
          "EH0004"};
}

Status Recorder::finalize() {
  TRY(require_init());
  {
    const LogDelay delay;
    std::lock_guard lock(mutex_);
    say_what_matched_nothing();
    clear();
    initialized_ = false;
  }
  outlet_.drain();
  outlet_.memory().free_kept();
  leave_endings();
  Status dropped = drops();
  if (dropped.ok() || !strict_mode()) return dropped;
  log_error(LogModule::Dump, "{}", dropped.message);
  return {};
}

Status Recorder::register_callback(DumpCallback callback, int32_t flag) {
  TRY(outlet_.register_callback(callback, flag));
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  use_default_for_callback();
  return {};
}

const char* Recorder::data_path() const {
  std::lock_guard lock(mutex_);
  return data_path_.empty() ? nullptr : data_path_.c_str();
}

std::vector<std::shared_ptr<executor::Observer>> Recorder::watch(const std::string& name,
                                                                 const std::shared_ptr<const graph::Model>& model) {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (!setting_) return {};
  loaded_names_.insert({name, model->name, model->main().name});
  auto plan = plan_for(name, *model);
  if (!plan) return {};
  auto observer = std::make_shared<ModelObserver>(outlet_, name, std::move(plan));
  std::erase_if(watched_, [](const Watched& watched) { return watched.observer.expired(); });
  watched_.push_back({observer, model});
  return {observer};
}

std::shared_ptr<executor::Observer> Recorder::watch_operator(OperatorLevel level) const {
  std::lock_guard lock(mutex_);
  if (!setting_) return nullptr;
  const DumpConfig& config = setting_->config;
  if (config.overflow ? level == OperatorLevel::Call : !config.op_switch) return nullptr;
  if (!(level == OperatorLevel::Operator ? config.op_level : config.kernel_level)) return nullptr;
  return std::make_shared<OperatorObserver>(outlet_, setting_, level);
}

// A program may end without aclFinalize.
void Recorder::guard_the_end() {
  if (&outlet_ != process_outlet) return;
  static const int once = std::atexit(end_of_process), quick = std::at_quick_exit(end_of_process);
  (void)once, (void)quick;
  if (!finish_at_the_end({.finish = [] { process_outlet->finish(); },
                          .progress = [] { return process_outlet->progress(); },
                          .go_on = [] { process_outlet->write_later(); }}))
    outlet_.write_directly();  // a signal would find nobody to write what waits
  guard_endings();
}

Recorder& recorder() {
  static auto& recorder = *[] {
    process_outlet = new Outlet(outlet_options());
    return new Recorder(*process_outlet);
  }();
  return recorder;
}

}  // namespace belay::dump
