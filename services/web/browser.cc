#include "services/web/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fluxnetes::services {
namespace {

std::string Variable(const Console& console, const char* name) {
  const char* value = console.environment(name);
  return value == nullptr ? "" : value;
}

// The path of a program in PATH; empty: there is none.
std::string ProgramIn(const std::string& path, const std::string& name) {
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    std::string file = path.substr(from, colon - from) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
    from = colon + 1;
  }
  return "";
}

std::string InAttribute(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '"'   ? "&quot;"
            : c == '&' ? "&amp;"
            : c == '<' ? "&lt;"
                       : std::string(1, c);
  return safe;
}

// A page that leads on, for this user alone; empty: it cannot be written.
std::string FileThatLeadsTo(const std::string& url, const Console& console) {
  std::string folder = Variable(console, "XDG_RUNTIME_DIR");
  if (folder.empty()) folder = std::filesystem::temp_directory_path();
  std::string file = folder + "/fluxnetes-XXXXXX.html";
  const int fd = mkstemps(file.data(), 5);  // mode 0600
  if (fd < 0) return "";
  const std::string page =
      "<!doctype html><meta charset=\"utf-8\"><title>Fluxnetes</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url=" +
      InAttribute(url) + "\">\n";
  const bool written =
      write(fd, page.data(), page.size()) == static_cast<ssize_t>(page.size());
  close(fd);
  return written ? file : "";
}

}  // namespace

bool OpenInBrowser(const std::string& url, const Console& console) {
  if (Variable(console, "DISPLAY").empty() &&
      Variable(console, "WAYLAND_DISPLAY").empty())
    return false;
  std::string opener = ProgramIn(Variable(console, "PATH"), "xdg-open");
  if (opener.empty()) return false;
  std::string file = FileThatLeadsTo(url, console);
  if (file.empty()) return false;
  char* const arguments[] = {opener.data(), file.data(), nullptr};
  posix_spawn_file_actions_t quietly;
  posix_spawn_file_actions_init(&quietly);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quietly, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int refused = posix_spawn(&child, opener.c_str(), &quietly, nullptr,
                                  arguments, environ);
  posix_spawn_file_actions_destroy(&quietly);
  int status = 0;
  if (refused == 0 && waitpid(child, &status, 0) == child &&
      WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  unlink(file.c_str());
  return false;
}

}  // namespace fluxnetes::services
