#include "services/web_http/web_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fluxnetes::services {

void WebStream::Resume() {
  if (!std::exchange(paused_, false)) return;
  if (resume_) resume_();
}

void WebStream::Add(std::shared_ptr<const std::string> text) {
  if (text == nullptr || text->empty()) return;
  const sql::MutexLock lock(mutex_);
  if (ended_) return;
  if (text_) {
    more_ += *text;
  } else {
    text_ = std::move(text);
    sent_ = 0;
  }
  Resume();
}

void WebStream::End() {
  const sql::MutexLock lock(mutex_);
  ended_ = true;
  Resume();
}

bool WebStream::IsTaken() {
  const sql::MutexLock lock(mutex_);
  return text_ == nullptr;
}

bool WebStream::HasEnded() {
  const sql::MutexLock lock(mutex_);
  return ended_;
}

WebStream::Outcome WebStream::Take(char* to, std::size_t room,
                                   std::size_t& count,
                                   const std::function<void()>& pause) {
  bool taken = false;
  {
    const sql::MutexLock lock(mutex_);
    if (!text_) {
      if (ended_) return Outcome::kEnded;
      paused_ = true;
      pause();
      return Outcome::kWaits;
    }
    count = std::min(room, text_->size() - sent_);
    std::memcpy(to, text_->data() + sent_, count);
    sent_ += count;
    if (sent_ == text_->size()) {
      sent_ = 0;
      text_ =
          more_.empty()
              ? nullptr
              : std::make_shared<const std::string>(std::exchange(more_, ""));
      taken = text_ == nullptr;
    }
  }
  if (taken) on_taken_();
  return Outcome::kCopied;
}

void WebStream::Open(std::function<void()> resume) {
  const sql::MutexLock lock(mutex_);
  resume_ = std::move(resume);
}

void WebStream::Close() {
  const sql::MutexLock lock(mutex_);
  resume_ = nullptr;
  ended_ = true;
}

}  // namespace fluxnetes::services
