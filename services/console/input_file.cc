#include "services/console/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10U;

Failure Unreadable(const std::string& path, const std::string& why) {
  return Failure(ExitCode::kFailed,
                 fmt::format("{}: cannot be read: {}", path, why));
}

}  // namespace

std::string ReadInput(std::istream& in, const std::string& name,
                      std::size_t limit) {
  std::string text;
  std::array<char, 4096> some{};
  text.reserve(kChunk);
  while (in.read(some.data(), some.size()) || in.gcount() > 0) {
    text.append(some.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit)
      throw Failure(
          ExitCode::kFailed,
          fmt::format("{}: is larger than {} MiB", name, limit >> 20U),
          "Split it, or submit the files one by one.");
  }
  if (in.bad()) throw Unreadable(name, std::strerror(errno));
  return text;
}

std::string ReadInputFile(const std::string& path, std::size_t limit) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Unreadable(path, "it is a directory");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Unreadable(path, std::strerror(errno));
  return ReadInput(in, path, limit);
}

std::vector<std::string> ManifestFilesIn(const std::string& directory) {
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) throw Unreadable(directory, error.message());
  std::vector<std::string> files;
  for (const auto& entry : entries) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json")
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace fluxnetes::services
