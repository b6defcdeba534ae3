// An answer without an end: its producer adds texts, and the server sends each
// as its reader takes it. The producer is called back whenever all has been
// taken, so at most what it adds at a time waits for a slow reader.
//
// Thread-safe. The callbacks run on the server's thread and must not block.
// Tests: tests/services/web_http/web_server_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "sql/mutex.h"

namespace fluxnetes::services {

class WebStream {
 public:
  // `on_taken` is called when all that was added has been taken.
  explicit WebStream(std::function<void()> on_taken)
      : on_taken_(std::move(on_taken)) {}

  // For the producer. Neither has an effect after End().
  void Add(std::shared_ptr<const std::string> text) EXCLUDES(mutex_);
  void End() EXCLUDES(mutex_);
  // True if nothing that was added waits to be sent.
  bool IsTaken() EXCLUDES(mutex_);
  // True if the stream has ended: by End(), or because its reader is gone.
  bool HasEnded() EXCLUDES(mutex_);

  // For the server.
  enum class Outcome { kCopied, kWaits, kEnded };
  // Copies what waits, up to `room` bytes; `count` is set to their number. If
  // nothing waits it calls `pause`, and the `resume` of Open() is called once
  // there is something again.
  Outcome Take(char* to, std::size_t room, std::size_t& count,
               const std::function<void()>& pause) EXCLUDES(mutex_);
  void Open(std::function<void()> resume) EXCLUDES(mutex_);
  // The reader is gone; `resume` is not called any more.
  void Close() EXCLUDES(mutex_);

 private:
  void Resume() REQUIRES(mutex_);

  const std::function<void()> on_taken_;
  sql::Mutex mutex_;  // held while `pause` and `resume` run
  std::function<void()> resume_ GUARDED_BY(mutex_);
  std::shared_ptr<const std::string> text_ GUARDED_BY(mutex_);
  std::string more_ GUARDED_BY(mutex_);  // added while text_ is being sent
  std::size_t sent_ GUARDED_BY(mutex_) = 0;
  bool paused_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::services
