#include "tests/support/script.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace fluxnetes::testing {

std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

ScriptResult TryScript(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  ScriptResult result;
  std::array<char, 4096> buffer;
  while (const auto read = fread(buffer.data(), 1, buffer.size(), pipe))
    result.said.append(buffer.data(), read);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (result.said.ends_with('\n')) result.said.pop_back();
  return result;
}

std::string RunScript(const std::string& command) {
  ScriptResult result = TryScript(command);
  if (result.status != 0)
    throw std::runtime_error(command + ": " + result.said);
  return std::move(result.said);
}

Lifeline::Lifeline(const std::string& command) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  const std::string script = "cat; " + command;
  const char* arguments[] = {"sh", "-c", script.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t shell = 0;
  const int failed = posix_spawn(&shell, "/bin/sh", &actions, &attributes,
                                 const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(pipe_ends[0]);
  if (failed != 0) throw std::runtime_error("cannot start a shell");
  pipe_ = pipe_ends[1];
}

Lifeline::~Lifeline() { close(pipe_); }

}  // namespace fluxnetes::testing
