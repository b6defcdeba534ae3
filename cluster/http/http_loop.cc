#include "cluster/http/http_loop.h"

#include <algorithm>
#include <utility>

#include "cluster/http/stream_splitter.h"

namespace fluxnetes::cluster {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kLongestBody = std::size_t{256} << 20U;
constexpr std::size_t kLongestStreamError = std::size_t{1} << 20U;
constexpr milliseconds kLongestWait{60'000};
constexpr milliseconds kSilenceCheck{500};

bool NeverSent(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
}

milliseconds Until(SteadyTime time) {
  return std::chrono::ceil<milliseconds>(time - steady_clock::now());
}

HttpResponse Failure(std::string why) {
  HttpResponse response;
  response.error = std::move(why);
  return response;
}

}  // namespace

struct HttpClient::Loop::Stream {
  Stream(CurlHandle with, HttpRequest what, milliseconds longest_silence,
         StreamReader& to)
      : handle(std::move(with)),
        request(std::move(what)),
        silence(longest_silence),
        reader(to) {}

  bool Take(std::string_view data);

  int number = 0;
  CurlHandle handle;
  HttpRequest request;
  milliseconds silence;
  StreamReader& reader;
  std::string refusal;  // the body of an answer other than 200
  StreamSplitter splitter;
  SteadyTime heard = steady_clock::now();
  bool held = false;
  std::string error;
};

bool HttpClient::Loop::Stream::Take(std::string_view data) {
  if (handle.Status() != 200) {
    if (refusal.size() < kLongestStreamError) refusal += data;
    return true;
  }
  const bool in_time =
      IsFramed(handle.ContentType())
          ? splitter.TakeFrames(
                data, [this](std::string_view it) { reader.Frame(it); })
          : splitter.TakeLines(
                data, [this](std::string_view it) { reader.Line(it); });
  if (!in_time) error = "a line of the stream is longer than 16 MiB";
  return in_time;
}

HttpClient::Loop::Loop(HttpOptions options)
    : options_(std::move(options)),
      address_(ParseAddress(options_)),
      multi_(NewCurlMulti()),
      random_(std::random_device{}()) {
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS,
                    static_cast<long>(options_.connections + 8));
  thread_ = std::thread([this] { Run(); });
}

HttpClient::Loop::~Loop() { Stop(); }

void HttpClient::Loop::Submit(
    std::vector<std::unique_ptr<Exchange>> exchanges) {
  {
    const sql::MutexLock lock(mutex_);
    if (!stopping_) {
      std::move(exchanges.begin(), exchanges.end(),
                std::back_inserter(submitted_));
      exchanges.clear();
    }
  }
  curl_multi_wakeup(multi_.get());
  for (const auto& exchange : exchanges) {
    exchange->done(Failure("the HTTP client has been stopped"));
  }
}

int HttpClient::Loop::Open(HttpRequest request, milliseconds silence,
                           StreamReader& reader) {
  auto stream =
      std::make_unique<Stream>(CurlHandle(address_, options_.connect_timeout),
                               std::move(request), silence, reader);
  int number = 0;  // the stream may have ended before this returns
  {
    const sql::MutexLock lock(mutex_);
    if (!stopping_) {
      number = stream->number = next_stream_++;
      // std::function must be copyable, a stream is not.
      tasks_.push_back([this, raw = stream.release()] {
        BeginStream(std::unique_ptr<Stream>(raw));
      });
    }
  }
  curl_multi_wakeup(multi_.get());
  if (stream) {
    reader.End(Failure("the HTTP client has been stopped"));
  }
  return number;
}

void HttpClient::Loop::Resume(int stream) {
  Post([this, stream] {
    const auto found = streams_.find(stream);
    if (found == streams_.end() || !found->second->held) return;
    found->second->held = false;
    found->second->heard = steady_clock::now();
    curl_easy_pause(found->second->handle.get(), CURLPAUSE_CONT);
  });
}

void HttpClient::Loop::Close(int stream) {
  bool gone = false;
  Post([this, stream, &gone] {
    const auto found = streams_.find(stream);
    if (found != streams_.end()) {
      curl_multi_remove_handle(multi_.get(), found->second->handle.get());
      stream_of_.erase(found->second->handle.get());
      streams_.erase(found);
    }
    const sql::MutexLock lock(mutex_);
    gone = true;
    closed_.NotifyAll();
  });
  const sql::MutexLock lock(mutex_);
  while (!gone && !stopped_) closed_.Wait(mutex_);
}

void HttpClient::Loop::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_.get());
  if (thread_.joinable()) thread_.join();
}

void HttpClient::Loop::Post(std::function<void()> task) {
  {
    const sql::MutexLock lock(mutex_);
    if (stopping_) return;
    tasks_.push_back(std::move(task));
  }
  curl_multi_wakeup(multi_.get());
}

void HttpClient::Loop::Run() {
  while (TakeTasks()) {
    WakeDelayed();
    StartWaiting();
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    TakeFinished();
    CutSilentStreams();
    if (!waiting_.empty() && HasRoom() && UntilAllowed() <= milliseconds(0)) {
      continue;
    }
    curl_multi_poll(multi_.get(), nullptr, 0,
                    static_cast<int>(UntilNext().count()), nullptr);
  }
  EndAll();
}

bool HttpClient::Loop::TakeTasks() {
  std::vector<std::function<void()>> tasks;
  bool stopping = false;
  {
    const sql::MutexLock lock(mutex_);
    std::move(submitted_.begin(), submitted_.end(),
              std::back_inserter(waiting_));
    submitted_.clear();
    tasks.swap(tasks_);
    stopping = stopping_;
  }
  for (const auto& task : tasks) task();
  return !stopping;
}

bool HttpClient::Loop::HasRoom() const {
  return under_way_.size() < static_cast<std::size_t>(options_.connections);
}

// A token bucket that holds one second's worth of requests.
milliseconds HttpClient::Loop::UntilAllowed() {
  const double rate = options_.requests_per_second;
  if (rate <= 0) return milliseconds(0);
  const SteadyTime now = steady_clock::now();
  const std::chrono::duration<double> passed = now - allowed_at_;
  allowed_at_ = now;
  allowance_ =
      std::min(std::max(rate, 1.0), allowance_ + passed.count() * rate);
  if (allowance_ >= 1) return milliseconds(0);
  return std::chrono::ceil<milliseconds>(
      std::chrono::duration<double>((1 - allowance_) / rate));
}

void HttpClient::Loop::StartWaiting() {
  while (!waiting_.empty() && HasRoom() && UntilAllowed() <= milliseconds(0)) {
    allowance_ -= 1;
    auto exchange = std::move(waiting_.front());
    waiting_.pop_front();
    Begin(std::move(exchange));
  }
}

void HttpClient::Loop::Begin(std::unique_ptr<Exchange> exchange) {
  const milliseconds left = Until(exchange->give_up_at);
  if (left <= milliseconds(0)) {
    if (exchange->attempts == 0) {
      exchange->response.error = "no answer within the deadline";
    }
    exchange->done(std::move(exchange->response));
    return;
  }
  ++exchange->attempts;
  exchange->began = steady_clock::now();
  std::shared_ptr<const Identity> identity;
  try {
    identity = CurrentIdentity();
  } catch (const CredentialError& error) {
    exchange->response = Failure(error.what());
    Finish(std::move(exchange), true);
    return;
  }
  if (idle_.empty()) idle_.emplace_back(address_, options_.connect_timeout);
  CurlHandle handle = std::move(idle_.back());
  idle_.pop_back();
  if (exchange->response.status != 0)
    exchange->answered = std::move(exchange->response);
  exchange->response = {};
  exchange->too_long = false;
  exchange->may_be_cut = left < exchange->request.attempt_timeout;
  handle.Prepare(exchange->request,
                 std::min(left, exchange->request.attempt_timeout),
                 std::move(identity));
  handle.OnData(&OnExchangeData, exchange.get());
  CURL* easy = handle.get();
  under_way_.emplace(easy, Transfer{std::move(handle), std::move(exchange)});
  curl_multi_add_handle(multi_.get(), easy);
}

void HttpClient::Loop::TakeFinished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* easy = message->easy_handle;
    const CURLcode code = message->data.result;
    curl_multi_remove_handle(multi_.get(), easy);
    if (under_way_.contains(easy)) {
      FinishTransfer(easy, code);
    } else {
      FinishStream(easy, code);
    }
  }
}

void HttpClient::Loop::FinishTransfer(CURL* easy, CURLcode code) {
  auto node = under_way_.extract(easy);
  CurlHandle& handle = node.mapped().handle;
  std::unique_ptr<Exchange> exchange = std::move(node.mapped().exchange);
  HttpResponse& response = exchange->response;
  if (code == CURLE_OK) {
    response.status = handle.Status();
    response.retry_after = handle.RetryAfter();
    response.warnings = handle.Warnings();
  } else {
    response.body.clear();
    response.error = exchange->too_long
                         ? "the answer is longer than 256 MiB"
                         : options_.address + ": " + handle.Explain(code);
    // An earlier answer is more useful than "timed out". But if the request
    // must not be done twice, it is unknown whether this attempt did it.
    if (code == CURLE_OPERATION_TIMEDOUT && exchange->may_be_cut &&
        exchange->request.repeatable && exchange->answered.status != 0)
      response = std::move(exchange->answered);
  }
  if (options_.tally)
    options_.tally->Answered(exchange->request.method, exchange->request.path,
                             code == CURLE_OK ? response.status : 0,
                             steady_clock::now() - exchange->began);
  bool may_retry = MayRetry(*exchange, code);
  if (response.status == 401 && !std::exchange(exchange->renewed, true)) {
    may_retry = LooksForAnother(handle);
  }
  idle_.push_back(std::move(handle));
  Finish(std::move(exchange), may_retry);
}

void HttpClient::Loop::Finish(std::unique_ptr<Exchange> exchange,
                              bool may_retry) {
  if (may_retry && !exchange->request.once) {
    const SteadyTime again = steady_clock::now() + Backoff(*exchange);
    if (again < exchange->give_up_at) {
      delayed_.emplace(again, std::move(exchange));
      return;
    }
  }
  exchange->done(std::move(exchange->response));
}

std::shared_ptr<const Identity> HttpClient::Loop::CurrentIdentity() {
  return options_.credentials ? options_.credentials->Current() : nullptr;
}

bool HttpClient::Loop::LooksForAnother(const CurlHandle& handle) {
  return options_.credentials && handle.identity() &&
         options_.credentials->Refused(*handle.identity());
}

bool HttpClient::Loop::MayRetry(const Exchange& exchange, CURLcode code) const {
  if (exchange.too_long) return false;
  const bool repeatable = exchange.request.repeatable;
  if (code != CURLE_OK) return repeatable || NeverSent(code);
  const int status = exchange.response.status;
  return status == 429 || (status >= 500 && repeatable);
}

milliseconds HttpClient::Loop::Backoff(const Exchange& exchange) {
  if (exchange.response.retry_after) return *exchange.response.retry_after;
  const int doublings = std::min(exchange.attempts - 1, 20);
  const milliseconds whole = std::min(
      options_.longest_backoff, options_.first_backoff * (1 << doublings));
  return milliseconds(std::uniform_int_distribution<milliseconds::rep>(
      whole.count() / 2, whole.count())(random_));
}

void HttpClient::Loop::WakeDelayed() {
  const SteadyTime now = steady_clock::now();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    auto node = delayed_.extract(delayed_.begin());
    waiting_.push_front(std::move(node.mapped()));
  }
}

milliseconds HttpClient::Loop::UntilNext() {
  milliseconds wait = streams_.empty() ? kLongestWait : kSilenceCheck;
  if (!waiting_.empty() && HasRoom()) wait = std::min(wait, UntilAllowed());
  if (!delayed_.empty()) {
    wait = std::min(wait, Until(delayed_.begin()->first));
  }
  return std::max(wait, milliseconds(0));
}

std::size_t HttpClient::Loop::OnExchangeData(char* data, std::size_t size,
                                             std::size_t count,
                                             void* exchange) {
  auto* to = static_cast<Exchange*>(exchange);
  const std::size_t bytes = size * count;
  to->too_long = to->response.body.size() + bytes > kLongestBody;
  if (to->too_long) return 0;
  to->response.body.append(data, bytes);
  return bytes;
}

void HttpClient::Loop::BeginStream(std::unique_ptr<Stream> stream) {
  CURL* easy = stream->handle.get();
  try {
    stream->handle.Prepare(stream->request, milliseconds(0), CurrentIdentity());
  } catch (const CredentialError& error) {
    return EndStream(std::move(stream), Failure(error.what()));
  }
  stream->handle.OnData(&OnStreamData, stream.get());
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024L);
  // A fresh connection, so that kept ones stay with the requests.
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  stream_of_[easy] = stream->number;
  streams_[stream->number] = std::move(stream);
  curl_multi_add_handle(multi_.get(), easy);
}

std::size_t HttpClient::Loop::OnStreamData(char* data, std::size_t size,
                                           std::size_t count, void* stream) {
  auto* to = static_cast<Stream*>(stream);
  if (!to->reader.Ready()) {
    to->held = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  to->heard = steady_clock::now();
  const std::size_t bytes = size * count;
  return to->Take({data, bytes}) ? bytes : 0;
}

void HttpClient::Loop::FinishStream(CURL* easy, CURLcode code) {
  const auto number = stream_of_.extract(easy);
  if (!number) return;
  std::unique_ptr<Stream> stream =
      std::move(streams_.extract(number.mapped()).mapped());
  HttpResponse response;
  response.status = stream->handle.Status();
  response.retry_after = stream->handle.RetryAfter();
  if (response.status == 401) LooksForAnother(stream->handle);
  if (response.status != 200) response.body = std::move(stream->refusal);
  if (code != CURLE_OK) {
    response.error = stream->error.empty() ? options_.address + ": " +
                                                 stream->handle.Explain(code)
                                           : stream->error;
  }
  EndStream(std::move(stream), std::move(response));
}

void HttpClient::Loop::CutSilentStreams() {
  const SteadyTime now = steady_clock::now();
  std::vector<int> silent;
  for (const auto& [number, stream] : streams_) {
    if (!stream->held && now - stream->heard > stream->silence) {
      silent.push_back(number);
    }
  }
  for (const int number : silent) {
    std::unique_ptr<Stream> stream =
        std::move(streams_.extract(number).mapped());
    curl_multi_remove_handle(multi_.get(), stream->handle.get());
    stream_of_.erase(stream->handle.get());
    EndStream(std::move(stream), Failure("the stream has fallen silent"));
  }
}

void HttpClient::Loop::EndStream(std::unique_ptr<Stream> stream,
                                 HttpResponse response) {
  stream->reader.End(std::move(response));
}

void HttpClient::Loop::EndAll() {
  const HttpResponse stopped = Failure("the HTTP client has been stopped");
  for (auto& [easy, transfer] : under_way_) {
    curl_multi_remove_handle(multi_.get(), easy);
    transfer.exchange->done(stopped);
  }
  under_way_.clear();
  for (auto& [time, exchange] : delayed_) exchange->done(stopped);
  for (auto& exchange : waiting_) exchange->done(stopped);
  for (auto& [number, stream] : streams_) {
    curl_multi_remove_handle(multi_.get(), stream->handle.get());
    EndStream(std::move(stream), stopped);
  }
  streams_.clear();
  idle_.clear();
  const sql::MutexLock lock(mutex_);
  stopped_ = true;
  closed_.NotifyAll();
}

}  // namespace fluxnetes::cluster
