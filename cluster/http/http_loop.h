// The implementation of HttpClient: its input/output thread, the requests that
// wait, are in flight or back off, and the open streams.
//
// Any thread may call Submit, Open, Resume, Close and Stop; everything else
// belongs to the loop's own thread.
// Tests: tests/cluster/http/http_client_test.cc.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cluster/http/curl_handle.h"
#include "cluster/http/http_client.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

using SteadyTime = std::chrono::steady_clock::time_point;

// A request until its answer.
struct Exchange {
  Exchange(HttpRequest what, std::function<void(HttpResponse)> then)
      : request(std::move(what)),
        done(std::move(then)),
        give_up_at(std::chrono::steady_clock::now() + request.deadline) {}

  HttpRequest request;
  std::function<void(HttpResponse)> done;
  SteadyTime give_up_at;
  int attempts = 0;
  SteadyTime began{};     // of the current attempt
  bool renewed = false;   // the identity was renewed after a 401
  HttpResponse response;  // of the current attempt
  HttpResponse answered;  // of the last attempt that had an answer
  bool too_long = false;
  bool may_be_cut = false;  // the deadline shortens this attempt
};

class HttpClient::Loop {
 public:
  explicit Loop(HttpOptions options);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Submit(std::vector<std::unique_ptr<Exchange>> exchanges)
      EXCLUDES(mutex_);
  int Open(HttpRequest request, std::chrono::milliseconds silence,
           StreamReader& reader) EXCLUDES(mutex_);
  void Resume(int stream);
  // Returns when the reader will not be called any more.
  void Close(int stream) EXCLUDES(mutex_);
  // Answers the requests in flight and ends the thread. Calling twice is fine.
  void Stop() EXCLUDES(mutex_);

 private:
  struct Transfer {
    CurlHandle handle;
    std::unique_ptr<Exchange> exchange;
  };
  struct Stream;

  void Run();
  void Post(std::function<void()> task) EXCLUDES(mutex_);
  bool TakeTasks() EXCLUDES(mutex_);
  void StartWaiting();
  void Begin(std::unique_ptr<Exchange> exchange);
  void TakeFinished();
  void FinishTransfer(CURL* easy, CURLcode code);
  void Finish(std::unique_ptr<Exchange> exchange, bool may_retry);
  // Null if there are no credentials. Throws CredentialError.
  std::shared_ptr<const Identity> CurrentIdentity();
  bool LooksForAnother(const CurlHandle& handle);
  void FinishStream(CURL* easy, CURLcode code);
  // Returns false if the exchange has had its last attempt.
  bool MayRetry(const Exchange& exchange, CURLcode code) const;
  std::chrono::milliseconds Backoff(const Exchange& exchange);
  void WakeDelayed();
  // The time until one more request may begin, by requests_per_second.
  std::chrono::milliseconds UntilAllowed();
  bool HasRoom() const;
  void CutSilentStreams();
  std::chrono::milliseconds UntilNext();
  void BeginStream(std::unique_ptr<Stream> stream);
  void EndStream(std::unique_ptr<Stream> stream, HttpResponse response);
  void EndAll() EXCLUDES(mutex_);
  static std::size_t OnExchangeData(char* data, std::size_t size,
                                    std::size_t count, void* exchange);
  static std::size_t OnStreamData(char* data, std::size_t size,
                                  std::size_t count, void* stream);

  // Constant after construction.
  const HttpOptions options_;
  const CurlAddress address_;
  const CurlMulti multi_;

  sql::Mutex mutex_;
  std::vector<std::unique_ptr<Exchange>> submitted_ GUARDED_BY(mutex_);
  std::vector<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  int next_stream_ GUARDED_BY(mutex_) = 1;
  sql::ConditionVariable closed_;

  // Used by the loop's thread only.
  std::deque<std::unique_ptr<Exchange>> waiting_;
  double allowance_ = 0;  // requests that may begin
  SteadyTime allowed_at_;
  std::multimap<SteadyTime, std::unique_ptr<Exchange>> delayed_;
  std::unordered_map<CURL*, Transfer> under_way_;
  std::vector<CurlHandle> idle_;
  std::unordered_map<int, std::unique_ptr<Stream>> streams_;
  std::unordered_map<CURL*, int> stream_of_;
  std::minstd_rand random_;

  std::thread thread_;  // started by the constructor, joined by Stop()
};

// The stream that HttpClient::Open returns.
class OpenStream : public HttpStream {
 public:
  template <typename LoopPointer>
  OpenStream(LoopPointer loop, int number)
      : resume_([loop, number] { loop->Resume(number); }),
        close_([loop, number] { loop->Close(number); }) {}
  ~OpenStream() override { close_(); }
  void Resume() override { resume_(); }

 private:
  std::function<void()> resume_;
  std::function<void()> close_;
};

}  // namespace fluxnetes::cluster
