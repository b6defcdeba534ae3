#include "matcher/graph/path_table.h"

namespace fluxnetes::matcher {

PathId PathTable::Find(PathId above, std::string_view name) {
  const NameId last = names_.Intern(name);
  const std::size_t hash =
      (std::size_t{static_cast<std::uint32_t>(above)} << 32) |
      static_cast<std::uint32_t>(last);
  const PathId known = ids_.Find(hash, [&](PathId id) {
    return paths_[id].above == above && paths_[id].name == last;
  });
  if (known >= 0) return known;
  paths_.push_back({above, last});
  ids_.Add(hash, size() - 1);
  return size() - 1;
}

PathId PathTable::Intern(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return Find(kNoPath, path);
  const std::string_view above = path.substr(0, slash);
  if (last_ == kNoPath || above != last_text_) {
    last_ = kNoPath;
    for (std::size_t begin = 0; begin <= above.size();) {
      const std::size_t end = std::min(above.find('/', begin), above.size());
      last_ = Find(last_, above.substr(begin, end - begin));
      begin = end + 1;
    }
    last_text_ = above;
  }
  return Find(last_, path.substr(slash + 1));
}

bool PathTable::IsBelow(PathId path, PathId above) const {
  if (IsEmpty(above)) return false;
  do {
    path = paths_[path].above;
  } while (path != kNoPath && path != above);
  return path != kNoPath;
}

std::string PathTable::Text(PathId path) const {
  std::string text = names_[paths_[path].name];
  for (path = paths_[path].above; path != kNoPath; path = paths_[path].above) {
    text.insert(0, names_[paths_[path].name] + "/");
  }
  return text;
}

}  // namespace fluxnetes::matcher
