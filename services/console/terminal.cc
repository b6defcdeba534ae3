#include "services/console/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace fluxnetes::services {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;
int stop_pipe[2] = {-1, -1};  // written by a signal handler

void WantStop(int) {
  stop_wanted = 1;
  const int kept = errno;
  [[maybe_unused]] const ssize_t written = write(stop_pipe[1], "", 1);
  errno = kept;
}

void CatchSignals() {
  if (stop_pipe[0] >= 0 || pipe(stop_pipe) != 0) return;
  struct sigaction action {};
  action.sa_handler = WantStop;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Wait(std::chrono::milliseconds time) {
  CatchSignals();
  pollfd waited{stop_pipe[0], POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + time;
  while (stop_wanted == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    poll(&waited, 1, static_cast<int>(left.count()));
  }
  return stop_wanted != 0;
}

// Returns 0 if COLUMNS is not a width.
int ColumnsOfEnvironment() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  int columns = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, columns);
  return error == std::errc() && end == last && columns > 0 ? columns : 0;
}

std::pair<int, int> Size() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 ||
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return {0, 0};
  const int columns = ColumnsOfEnvironment();
  return {columns > 0 ? columns : size.ws_col, size.ws_row};
}

}  // namespace

Console ProcessConsole() {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::strcmp(kind, "dumb") == 0;
  return {.in = std::cin,
          .out = std::cout,
          .err = std::cerr,
          .terminal = terminal && !dumb,
          .colour =
              terminal && !dumb && (no_colour == nullptr || *no_colour == '\0'),
          .size = Size,
          .now =
              [] {
                return std::chrono::floor<std::chrono::microseconds>(
                    std::chrono::system_clock::now());
              },
          .environment = [](const char* name) { return std::getenv(name); },
          .wait = Wait};
}

}  // namespace fluxnetes::services
