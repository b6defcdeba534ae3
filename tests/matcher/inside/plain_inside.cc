#include "tests/matcher/inside/plain_inside.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

std::vector<std::pair<std::string, std::int64_t>> Asked(const InsideWish& wish,
                                                        int share) {
  const auto part = [share](std::int64_t units) {
    return (units + share - 1) / share;
  };
  return {{"core", part(wish.cpus)},
          {"memory", part(wish.memory_mib)},
          {"gpu", part(wish.gpus)},
          {"nic", part(wish.nics)}};
}

std::string DomainOf(Align align) {
  switch (align) {
    case Align::kNuma:
      return "numa";
    case Align::kSocket:
      return "socket";
    case Align::kIsland:
      return "island";
    case Align::kAnywhere:
      break;
  }
  return "";
}

}  // namespace

std::set<VertexIndex> PlainInside::Below(VertexIndex v) const {
  std::set<VertexIndex> all = {v};
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    all.merge(Below(graph_.target(e)));
  }
  return all;
}

// In order of id.
std::vector<VertexIndex> PlainInside::OfType(VertexIndex top,
                                             const std::string& type) const {
  std::vector<VertexIndex> found;
  for (const VertexIndex v : Below(top)) {
    if (v != top && graph_.TypeName(v) == type) found.push_back(v);
  }
  std::ranges::stable_sort(found, [&](VertexIndex a, VertexIndex b) {
    return graph_.id(a) < graph_.id(b);
  });
  return found;
}

// False if a task holds the vertex, or one above it, at some time of the
// window.
bool PlainInside::IsFree(VertexIndex v, const InsideWindow& window) const {
  for (const auto& [task, hold] : holds_) {
    const Time end = std::max(hold.end, window.now + 1);
    if (hold.start >= window.end || end <= window.from) continue;
    for (VertexIndex up = v; up != kNoVertex; up = graph_.parent(up)) {
      if (hold.vertices.contains(up)) return false;
    }
  }
  return true;
}

bool PlainInside::IsUp(VertexIndex v) const {
  for (; v != kNoVertex; v = graph_.parent(v)) {
    if (!graph_.up(v)) return false;
  }
  return true;
}

std::optional<std::set<VertexIndex>> PlainInside::FindBelow(
    VertexIndex top, const InsideWish& wish, int share,
    const InsideWindow& window) const {
  if (!IsFree(top, window) || !IsUp(top)) return std::nullopt;
  std::set<VertexIndex> taken;
  for (const auto& [type, units] : Asked(wish, share)) {
    const bool unknown = OfType(0, type).empty();
    if (units == 0 || (unknown && type == "memory")) continue;
    std::int64_t got = 0;
    for (const VertexIndex v : OfType(top, type)) {
      if (got >= units) break;
      if (!IsFree(v, window) || !IsUp(v)) continue;
      taken.insert(v);
      got += graph_.units(v);
    }
    if (got < units) return std::nullopt;
  }
  if (taken.empty()) return std::nullopt;
  return taken;
}

std::optional<std::set<VertexIndex>> PlainInside::FindSockets(
    const InsideWish& wish, int sockets, const InsideWindow& window) const {
  std::set<VertexIndex> taken;
  int found = 0;
  for (const VertexIndex socket : OfType(0, "socket")) {
    const std::set<VertexIndex> all = Below(socket);
    const bool unused = std::ranges::all_of(
        all, [&](VertexIndex v) { return IsFree(v, window); });
    if (!unused || !FindBelow(socket, wish, sockets, window)) continue;
    taken.insert(all.begin(), all.end());
    if (++found == sockets) return taken;
  }
  return std::nullopt;
}

std::optional<std::set<VertexIndex>> PlainInside::Find(
    const InsideWish& wish, const InsideWindow& window) const {
  if (wish.whole_sockets) {
    const bool one = wish.align == Align::kSocket && wish.align_required;
    for (int sockets = 1; sockets <= (one ? 1 : 8); ++sockets) {
      if (auto found = FindSockets(wish, sockets, window)) return found;
    }
    return std::nullopt;
  }
  if (wish.align == Align::kAnywhere) return FindBelow(0, wish, 1, window);
  for (const VertexIndex domain : OfType(0, DomainOf(wish.align))) {
    if (auto found = FindBelow(domain, wish, 1, window)) return found;
  }
  if (wish.align_required) return std::nullopt;
  return FindBelow(0, wish, 1, window);
}

int PlainInside::Fit(const InsideWish& wish, int limit,
                     const InsideWindow& window) {
  int tasks = 0;
  for (; tasks < limit; ++tasks) {
    const auto found = Find(wish, window);
    if (!found) break;
    Hang({-1, tasks}, {*found, window.from, window.end});
  }
  for (int task = 0; task < tasks; ++task) Drop({-1, task});
  return tasks;
}

std::string PlainInside::HeldTwice() const {
  for (const auto& [task, hold] : holds_) {
    for (const auto& [other, its] : holds_) {
      if (other == task || its.start >= hold.end || its.end <= hold.start) {
        continue;
      }
      for (VertexIndex v : hold.vertices) {
        for (VertexIndex up = v; up != kNoVertex; up = graph_.parent(up)) {
          if (its.vertices.contains(up)) {
            return graph_.Path(v) + " is held twice";
          }
        }
      }
    }
  }
  return "";
}

std::string PlainInside::Unsatisfied(
    const InsideWish& wish, const std::set<VertexIndex>& vertices) const {
  for (const auto& [type, units] : Asked(wish, 1)) {
    std::int64_t got = 0;
    for (const VertexIndex v : vertices) {
      if (graph_.TypeName(v) == type) got += graph_.units(v);
    }
    const bool unknown = OfType(0, type).empty() && type == "memory";
    if (got < units && !unknown) return "too little " + type;
  }
  if (wish.align == Align::kAnywhere || !wish.align_required) return "";
  for (const VertexIndex domain : OfType(0, DomainOf(wish.align))) {
    const std::set<VertexIndex> below = Below(domain);
    if (std::ranges::includes(below, vertices)) return "";
  }
  return "not in one " + DomainOf(wish.align);
}

}  // namespace fluxnetes::matcher
