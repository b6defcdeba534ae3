#include "services/manual/man_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "services/manual/command_reference.h"
#include "services/manual/man_pages.h"
#include "services/manual/version.h"

namespace fluxnetes::services {
namespace {

void WritePages(const std::vector<ManPage>& pages,
                const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const ManPage& page : pages) {
    const std::string path = directory + "/" + page.file;
    std::ofstream out(path, std::ios::binary);
    out << page.text;
    if (!out.flush())
      throw Failure(
          ExitCode::kFailed,
          fmt::format("{} cannot be written: {}", path, std::strerror(errno)),
          "--directory names a folder that you may write into.");
  }
}

}  // namespace

ExitCode RunMan(const ManOptions& options, const CommandTree& tree,
                Console& console) {
  if (options.markdown) {
    console.out << CommandReference(tree);
    return ExitCode::kOk;
  }
  const std::vector<ManPage> pages = ManPages(tree, std::string(Version()));
  if (!options.directory.empty()) {
    WritePages(pages, options.directory);
    console.out << fmt::format("{} pages written to {}\n", pages.size(),
                               options.directory);
    return ExitCode::kOk;
  }
  std::string file = tree.name;
  for (const std::string& word : options.command) file += "-" + word;
  const auto page = std::ranges::find(pages, file + ".1", &ManPage::file);
  if (page == pages.end())
    throw Failure(
        ExitCode::kUsage,
        fmt::format("no command '{}'", fmt::join(options.command, " ")),
        fmt::format("`{} --help` lists those that there are.", tree.name));
  console.out << page->text;
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
