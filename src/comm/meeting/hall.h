// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "comm/meeting/meeting.h"
#include "comm/meeting/sockets.h"

namespace belay::comm {

// Lets ranks of other processes take part in the meetings of this one: answers at a listening socket, on the watcher's
// thread, for as long as the process lives.
void answer_at(Listener listener);

// A rank's side of a meeting, wherever that is.
class Attendance {
 public:
  virtual ~Attendance() = default;
  // Gives a text, waits for those of all ranks. After the deadline the meeting ends for all, who hear which rank is
  // missing: E_TIMEOUT.
  virtual Result<Meeting::Texts> post(uint32_t round, const std::string& text, Deadline deadline) = 0;
  // Between two rounds: why the meeting has failed meanwhile.
  virtual Status check() = 0;
  // Tells the others why this rank comes no more.
  virtual void give_up(const Status& why) = 0;
};

// At a meeting of this process.
std::unique_ptr<Attendance> attend(std::shared_ptr<Meeting> meeting, uint32_t rank, uint32_t size);
// At one of another process, through a connected socket, which it closes.
std::unique_ptr<Attendance> attend(int socket, const std::string& identifier, uint32_t rank, uint32_t size);

}  // namespace belay::comm
