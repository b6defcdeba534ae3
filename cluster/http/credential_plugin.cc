#include "cluster/http/credential_plugin.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cluster/text/json_field.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Json = nlohmann::json;

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20U;

[[noreturn]] void Fail(const CredentialPlugin& plugin, const std::string& why) {
  throw CredentialError(
      fmt::format("the credential plugin {} {}", plugin.command, why));
}

// A pipe; the destructor closes both ends.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw CredentialError("no pipe: " +
                            std::generic_category().message(errno));
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close(read);
    CloseWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void CloseWrite() {
    if (write >= 0) close(std::exchange(write, -1));
  }
  int read = -1;
  int write = -1;
};

std::vector<std::string> Environment(const CredentialPlugin& plugin) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable)
    all.emplace_back(*variable);
  const auto set = [&all](const std::string& name, const std::string& value) {
    std::erase_if(all, [&](const std::string& variable) {
      return variable.starts_with(name + "=");
    });
    all.push_back(name + "=" + value);
  };
  for (const auto& [name, value] : plugin.environment) set(name, value);
  set("KUBERNETES_EXEC_INFO", plugin.info);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the plugin: its output goes to the pipe, its input is empty, its
// errors go to our standard error.
pid_t Start(const CredentialPlugin& plugin, const Pipe& output) {
  std::vector<std::string> words{plugin.command};
  words.insert(words.end(), plugin.arguments.begin(), plugin.arguments.end());
  std::vector<std::string> environment = Environment(plugin);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  const int failed =
      posix_spawnp(&process, plugin.command.c_str(), &actions, &attributes,
                   Pointers(words).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    Fail(plugin, fmt::format("cannot be started: {}{}{}",
                             std::generic_category().message(failed),
                             plugin.install_hint.empty() ? "" : ". ",
                             plugin.install_hint));
  return process;
}

// A running plugin; the destructor kills its process group.
class Run {
 public:
  Run(const CredentialPlugin& plugin, Pipe& output)
      : process_(Start(plugin, output)) {
    output.CloseWrite();
  }
  ~Run() {
    if (process_ != 0) Wait();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Kills it if it still runs and returns its status as of waitpid.
  int Wait() {
    kill(-process_, SIGKILL);
    return Reap(0).value_or(0);
  }
  // Returns its status; nothing while it runs.
  std::optional<int> HasEnded() { return Reap(WNOHANG); }

 private:
  std::optional<int> Reap(int options) {
    int status = 0;
    pid_t ended = 0;
    do {
      ended = waitpid(process_, &status, options);
    } while (ended < 0 && errno == EINTR);
    if (ended != process_) return std::nullopt;
    process_ = 0;
    return status;
  }

  pid_t process_;
};

// Reads its output until it closes it.
std::string ReadAll(const CredentialPlugin& plugin, int from,
                    steady_clock::time_point until) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left =
        std::chrono::ceil<milliseconds>(until - steady_clock::now());
    pollfd waiting{from, POLLIN, 0};
    const int ready = left > milliseconds(0)
                          ? poll(&waiting, 1, static_cast<int>(left.count()))
                          : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      Fail(plugin, fmt::format("has not answered within {} s",
                               plugin.timeout.count() / 1000.0));
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > kLongestAnswer) Fail(plugin, "prints more than 1 MiB");
  }
}

int AwaitEnd(const CredentialPlugin& plugin, Run& run,
             steady_clock::time_point until) {
  while (steady_clock::now() < until) {
    if (const auto status = run.HasEnded()) return *status;
    poll(nullptr, 0, 10);
  }
  Fail(plugin, "has answered but does not end");
}

}  // namespace

PluginAnswer RunPlugin(const CredentialPlugin& plugin) {
  const auto until = steady_clock::now() + plugin.timeout;
  Pipe output;
  Run run(plugin, output);
  const std::string text = ReadAll(plugin, output.read, until);
  const int status = AwaitEnd(plugin, run, until);
  if (WIFSIGNALED(status))
    Fail(plugin, fmt::format("was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    Fail(plugin, fmt::format("failed with exit code {}; its own words are in "
                             "this program's error output",
                             WEXITSTATUS(status)));
  return ReadPluginAnswer(text, plugin);
}

PluginAnswer ReadPluginAnswer(std::string_view text,
                              const CredentialPlugin& plugin) {
  const Json answer = Json::parse(text, nullptr, false);
  if (Text(answer, "kind") != "ExecCredential")
    Fail(plugin, "does not print an ExecCredential as JSON");
  if (Text(answer, "apiVersion") != plugin.api_version)
    Fail(plugin, "answers in another apiVersion than its kubeconfig says, " +
                     plugin.api_version);
  const Json& status = At(answer, "status");
  PluginAnswer read;
  read.identity = {.token = Text(status, "token"),
                   .certificate = Text(status, "clientCertificateData"),
                   .key = Text(status, "clientKeyData")};
  if (read.identity.certificate.empty() != read.identity.key.empty())
    Fail(plugin, "gives one of clientCertificateData and clientKeyData only");
  if (read.identity == Identity{})
    Fail(plugin, "gives neither status.token nor a client certificate");
  if (read.identity.token.find_first_of("\r\n") != std::string::npos)
    Fail(plugin, "gives a token with a line break");
  const std::string expires = Text(status, "expirationTimestamp");
  if (expires.empty()) return read;
  const auto time = ParseTimestamp(expires);
  if (!time)
    Fail(plugin, "gives a status.expirationTimestamp that is no RFC 3339 time");
  // Limited to the range of the clock, whose nanoseconds end in 2262.
  using Clock = std::chrono::system_clock;
  read.expires_at = Clock::time_point(std::clamp(
      time->time_since_epoch(), Time::duration::zero(),
      std::chrono::duration_cast<Time::duration>(Clock::duration::max())));
  return read;
}

}  // namespace fluxnetes::cluster
