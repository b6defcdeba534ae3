#include "matcher/resource_query/loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "matcher/readers/grug.h"
#include "matcher/readers/hwloc.h"
#include "matcher/readers/jgf.h"
#include "matcher/readers/rv1exec.h"

namespace fluxnetes::matcher {
namespace {

// A regular file.
class OpenedFile {
 public:
  explicit OpenedFile(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat about {};
    if (file_ < 0 || fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) {
      return;
    }
    size_ = static_cast<std::size_t>(about.st_size);
  }
  ~OpenedFile() {
    if (file_ >= 0) close(file_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  std::optional<std::size_t> size() const { return size_; }
  ssize_t Read(std::size_t offset, char* into, std::size_t most) const {
    return pread(file_, into, most, static_cast<off_t>(offset));
  }

 private:
  int file_;
  std::optional<std::size_t> size_;
};

TextSource OpenGraph(const std::string& path) {
  auto source = OpenFile(path);
  if (!source) throw GraphError("can't read " + path);
  return *std::move(source);
}

std::string ReadGraph(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) throw GraphError("can't read " + path);
  return *std::move(text);
}

ResourceGraph LoadGraph(const QueryOptions& options) {
  const std::string& format = options.load_format;
  const std::string& path = options.load_file;
  if (format == "jgf" || format == "jgf_shorthand") {
    return ReadJgf(OpenGraph(path));
  }
  const std::string text = ReadGraph(path);
  if (format == "grug") return ReadGrug(text);
  if (format == "hwloc") return ReadHwloc(text, options.allow_list);
  return ReadRv1exec(text);
}

}  // namespace

std::optional<std::string> ReadFile(const std::string& path) {
  const OpenedFile file(path);
  if (!file.size() || *file.size() > kMaxGraphBytes) return std::nullopt;
  std::string text(*file.size(), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = file.Read(done, text.data() + done, text.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

// The file is shared, since a std::function may be copied.
std::optional<TextSource> OpenFile(const std::string& path) {
  const auto file = std::make_shared<const OpenedFile>(path);
  if (!file->size()) return std::nullopt;
  return [file, path](std::size_t offset, char* into, std::size_t most) {
    const ssize_t got = file->Read(offset, into, most);
    if (got < 0) throw GraphError("can't read " + path);
    return static_cast<std::size_t>(got);
  };
}

Matcher LoadMatcher(const QueryOptions& options) {
  ResourceGraph graph = LoadGraph(options);
  graph.SetDominant(graph.AddSubsystem(options.subsystem));
  if (graph.root() == kNoVertex) {
    throw GraphError("the graph has no root in the subsystem " +
                     options.subsystem);
  }
  MatcherOptions how;
  how.policy = options.policy;
  how.prune_filters = options.prune_filters;
  how.flexible = options.flexible;
  how.sort_equals = options.sort_equals;
  return Matcher(std::move(graph), how);
}

}  // namespace fluxnetes::matcher
