// Paths as numbers. Each path is kept as the path above it and a last name, so
// it costs eight bytes if the path above it is known.
//
//   "/cluster0/node1" = ("/cluster0", "node1"); "/x" = ("", "x")
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/graph/hash_index.h"
#include "matcher/graph/names.h"

namespace fluxnetes::matcher {

using PathId = std::int32_t;

inline constexpr PathId kNoPath = -1;

class PathTable {
 public:
  // Keeps last names in `names`, which must outlive the table.
  explicit PathTable(Names& names) : names_(names) {}

  PathId Intern(std::string_view path);
  // Returns kNoPath if the path has no slash.
  PathId above(PathId path) const { return paths_[path].above; }
  NameId name(PathId path) const { return paths_[path].name; }
  bool IsEmpty(PathId path) const {
    return above(path) == kNoPath && names_[name(path)].empty();
  }
  // Nothing is below the empty path.
  bool IsBelow(PathId path, PathId above) const;
  std::string Text(PathId path) const;
  int size() const { return static_cast<int>(paths_.size()); }

 private:
  struct Path {
    PathId above;
    NameId name;
  };
  PathId Find(PathId above, std::string_view name);

  Names& names_;
  std::vector<Path> paths_;
  HashIndex ids_;
  std::string last_text_;  // the path above that was looked up last
  PathId last_ = kNoPath;
};

}  // namespace fluxnetes::matcher
