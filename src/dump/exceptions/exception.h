// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "dump/config/config.h"
#include "dump/config/environment.h"
#include "dump/format/record.h"
#include "dump/writing/files.h"
#include "executor/faults/failure.h"

namespace belay::dump {

// The exception dump of the process: leaves the evidence of an operator that failed. It is independent of data dumps,
// and at most one scene is on: the environment's, or the first one configured. Safe from any thread.
class ExceptionDump : public executor::FailureListener {
 public:
  explicit ExceptionDump(Environment environment);

  // Whether the scene can be enabled: 500000 for detail when a device has been set already.
  Status check(Scene scene) const;
  // Without effect, but for a warning, while one is on.
  Status enable(Scene scene, const std::string& dump_path);
  // Ends what a configuration began; not what the environment did, and not the detail scene.
  void disable();
  // aclrtSetDevice was called. Of two processes that ask for detail on one device, the second gets brief.
  void device_set(int device);

  bool enabled() const;
  Scene scene() const;
  // "<root>/extra-info/data-dump", made if it is missing, as an absolute path. 500001 when it cannot be made.
  Result<std::string> directory() const;
  // The device's directory in it, made if it is missing. 500001 too when it is a link that leads elsewhere.
  Result<std::string> device_directory(int device) const;
  // Writes a file of the program's own below that directory and the device's. 500001 when it cannot be written.
  Result<std::string> write(int device, std::string directory, std::string name, const Header& header,
                            std::vector<Piece> pieces);

  void crashed(const executor::Running& running, const Trap& trap, const void* context) override;
  void failed(const executor::Running& running, Status& why) override;

 private:
  std::string root() const;
  void switch_on(Scene scene, std::string root);
  // False when another process has the device for its detail dump.
  bool lock_device(int device);
  Result<std::string> write_core_of(const executor::Running& running, int signal, const void* address,
                                    const void* context);
  [[noreturn]] void end_process(const executor::Running& running, Status& why);

  Environment environment_;  // constant after construction
  Files files_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Scene scene_ = Scene::None;
  bool configured_ = false;  // not by the environment
  bool device_set_ = false;
  std::string root_ = "./";
  std::map<int, int> locks_;  // the open lock file of each device that was set; kept until the process ends
};

// The one of the process.
ExceptionDump& exceptions();

}  // namespace belay::dump
