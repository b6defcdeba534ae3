#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace fluxnetes::testing {
namespace {

std::vector<std::string> Environment(
    const std::map<std::string, std::string>& ours) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!ours.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : ours) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Process::Process(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& environment,
                 const std::string& log) {
  std::vector<std::string> words = command;
  std::vector<std::string> variables = Environment(environment);
  const std::vector<char*> arguments = Pointers(words);
  const std::vector<char*> settings = Pointers(variables);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int in = open("/dev/null", O_RDONLY);
  const pid_t parent = getpid();
  id_ = fork();
  if (id_ == 0) {
    // Calls only what is safe after a fork in a program with threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    execve(arguments[0], arguments.data(), settings.data());
    _exit(127);
  }
  close(in);
  close(out);
  if (id_ < 0) throw std::runtime_error("cannot start " + command.front());
}

Process::~Process() { Kill(); }

void Process::Signal(int signal) const {
  if (!ended_) kill(id_, signal);
}

void Process::Kill() {
  Signal(SIGKILL);
  WaitForEnd(std::chrono::seconds(60));
}

std::optional<int> Process::WaitForEnd(std::chrono::milliseconds patience) {
  WaitUntil(patience, [this] { return HasEnded(); });
  return ended_;
}

bool Process::HasEnded() {
  int status = 0;
  if (!ended_ && waitpid(id_, &status, WNOHANG) == id_)
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ended_.has_value();
}

bool Process::HasStopped() const {
  std::ifstream in("/proc/" + std::to_string(id_) + "/stat");
  std::string line;
  std::getline(in, line);
  const auto name_end = line.rfind(") ");
  return name_end != line.npos && line[name_end + 2] == 'T';
}

void PauseBetweenLooks() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace fluxnetes::testing
