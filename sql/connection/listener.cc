#include "sql/connection/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sql/connection/connection.h"

namespace fluxnetes::sql {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2'000};

class Receiver : public pqxx::notification_receiver {
 public:
  Receiver(pqxx::connection_base& connection, const std::string& channel,
           const std::vector<Listener::Callback>& callbacks)
      : notification_receiver(connection, channel), callbacks_(callbacks) {}

  void operator()(const std::string& payload, int) override {
    for (const auto& callback : callbacks_) callback(payload);
  }

 private:
  const std::vector<Listener::Callback>& callbacks_;
};

}  // namespace

struct Listener::State {
  explicit State(PoolOptions pool_options)
      : options(std::move(pool_options)), stopping(eventfd(0, EFD_CLOEXEC)) {
    if (stopping < 0)
      throw std::system_error(errno, std::generic_category(), "eventfd");
    options.catalogues.clear();
  }
  ~State() { close(stopping); }

  void Loop();
  void ListenUntilBroken(milliseconds& pause);
  // Waits until the socket (-1: none) is readable or Stop() was called; returns
  // true in the latter case.
  bool Wait(int socket, milliseconds limit) const;

  PoolOptions options;
  std::map<std::string, std::vector<Callback>> callbacks;  // fixed by Start()
  const int stopping;
  std::thread thread;
};

Listener::Listener(PoolOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

Listener::~Listener() { Stop(); }

void Listener::On(const std::string& channel, Callback callback) {
  state_->callbacks[state_->options.schema + "." + channel].push_back(
      std::move(callback));
}

void Listener::Start() {
  if (state_->options.transaction_pooling) return;
  state_->thread = std::thread([this] { state_->Loop(); });
}

void Listener::Stop() {
  if (!state_->thread.joinable()) return;
  eventfd_write(state_->stopping, 1);
  state_->thread.join();
}

void Listener::State::Loop() {
  milliseconds pause = kFirstPause;
  do {
    try {
      ListenUntilBroken(pause);
      return;
    } catch (const Error&) {
      // Other users of the database report that it is unreachable.
      pause = std::min(2 * pause, kLongestPause);
    }
  } while (!Wait(-1, pause));
}

// Returns when Stop() was called.
void Listener::State::ListenUntilBroken(milliseconds& pause) {
  Connection connection(options);
  try {
    std::vector<std::unique_ptr<Receiver>> receivers;
    for (const auto& [channel, called] : callbacks)
      receivers.push_back(
          std::make_unique<Receiver>(connection.session(), channel, called));
    pause = kFirstPause;
    for (const auto& [channel, called] : callbacks)
      for (const auto& callback : called) callback("");
    while (!Wait(connection.session().sock(), milliseconds(-1)))
      connection.session().get_notifs();
  } catch (...) {
    ThrowAsError();
  }
}

bool Listener::State::Wait(int socket, milliseconds limit) const {
  pollfd watched[] = {{stopping, POLLIN, 0}, {socket, POLLIN, 0}};
  int ready = 0;
  do {
    ready = poll(watched, 2, static_cast<int>(limit.count()));
  } while (ready < 0 && errno == EINTR);
  return watched[0].revents != 0;
}

}  // namespace fluxnetes::sql
