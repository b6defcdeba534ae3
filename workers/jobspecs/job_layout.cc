#include "workers/jobspecs/job_layout.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cluster/files/field_check.h"
#include "cluster/text/quote.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;
using matcher::JobResource;
using matcher::Jobspec;

constexpr std::array<std::string_view, 3> kLevelWords = {"rack", "zone",
                                                         "region"};
constexpr std::string_view kTypeCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
constexpr std::string_view kSubnet = "subnet";  // what Fluence calls a zone
constexpr std::string_view kWholeCluster = "cluster";

// The name of the level in a topology; empty: the type is no level.
std::string LevelWord(const std::string& type) {
  if (type == kSubnet) return "zone";
  if (std::ranges::find(kLevelWords, type) != kLevelWords.end()) return type;
  const bool is_key = type.find('/') != std::string::npos;
  return is_key && cluster::IsQualifiedName(type) ? type : "";
}

// Walks from the top of the jobspec down to its slots.
class Walk {
 public:
  explicit Walk(const Jobspec& jobspec) : jobspec_(jobspec) {}

  JobLayout Run() {
    int first = 0;
    int last = jobspec_.top;
    while (!IsSlot(At(first))) {
      if (last - first > 1)
        Refuse(first + 1, "",
               "stands beside " + Quote(At(first).type) +
                   " and above the slot; a pod gets only what is in its slot, "
                   "so only one resource may stand there");
      AddAbove(first);
      const JobResource& above = At(first);
      if (above.first == above.last)
        Refuse(first, "",
               "has nothing below it and is in no slot; a slot with what one "
               "pod gets must stand there");
      first = above.first;
      last = above.last;
    }
    for (int slot = first; slot < last; ++slot) AddSlot(slot, first);
    if (layout_.node_in_slot) layout_.whole_nodes = true;
    return layout_;
  }

 private:
  const JobResource& At(int resource) const {
    return jobspec_.resources[resource];
  }
  [[noreturn]] void Refuse(int resource, const std::string& member,
                           const std::string& wrong) const {
    RefuseResource(jobspec_, resource, member, wrong);
  }

  void AddAbove(int resource) {
    const JobResource& above = At(resource);
    CheckCount(resource);
    CheckShared(resource);
    if (above.type == "node") {
      if (layout_.node >= 0 || !layout_.within.empty())
        Refuse(resource, ".type", "is a node in a node, or in part of one");
      layout_.node = resource;
      layout_.whole_nodes = above.exclusive.value_or(false);
    } else if (layout_.node >= 0) {
      layout_.within.push_back(resource);
    } else {
      AddOutside(resource);
    }
  }

  // Adds what has no node above it: a level, or what is within a node that the
  // jobspec leaves out.
  void AddOutside(int resource) {
    const JobResource& above = At(resource);
    const std::string word = LevelWord(above.type);
    const bool all = above.type == kWholeCluster;
    if (word.empty() && !all && !HasNodeBelow(resource)) {
      layout_.within.push_back(resource);
      return;
    }
    if (word.empty() && !all)
      Refuse(resource, ".type",
             "is " + Quote(above.type) +
                 ", which is no level of the cluster; rack, zone, region or "
                 "the key of a label of nodes, such as example.com/block, is "
                 "right");
    if (!layout_.within.empty())
      Refuse(resource, ".type", "is a level of the cluster within a node");
    if (above.exclusive.value_or(false))
      Refuse(resource, ".exclusive",
             "is true; only nodes and what is in them can be exclusive");
    if (all && !(above.count == matcher::Count{1, 1}))
      Refuse(resource, ".count", "is not 1; there is one cluster");
    if (!all) layout_.levels.push_back({resource, word});
  }

  bool HasNodeBelow(int resource) const {
    for (int r = 0; r < std::ssize(jobspec_.resources); ++r) {
      if (At(r).type != "node") continue;
      for (int above = At(r).parent; above >= 0; above = At(above).parent) {
        if (above == resource) return true;
      }
    }
    return false;
  }

  void AddSlot(int slot, int first) {
    const JobResource& one = At(slot);
    CheckCount(slot);
    CheckShared(slot);
    if (one.type != At(first).type)
      Refuse(slot, ".type",
             "is " + Quote(one.type) + " beside " + Quote(At(first).type) +
                 "; alternatives are all slot or all xor_slot");
    if (one.type == "slot" && !(one.count == At(first).count))
      Refuse(slot, ".count",
             "is another one than that of the slot beside it; alternatives "
             "with counts of their own are of the type xor_slot");
    if (one.first == one.last)
      Refuse(slot, "", "has nothing in it; it must have what one pod gets");
    for (int child = one.first; child < one.last; ++child) CheckInSlot(child);
    const bool has_node = At(one.first).type == "node";
    if (slot != first && has_node != layout_.node_in_slot)
      Refuse(slot, "",
             "is an alternative to a slot of another form; all or none of "
             "them must have a node");
    if (has_node && (layout_.node >= 0 || !layout_.within.empty()))
      Refuse(one.first, ".type", "is a node in a node, or in part of one");
    if (has_node && one.last - one.first > 1)
      Refuse(one.first + 1, "",
             "stands beside a node; what a pod gets must be in its node");
    layout_.node_in_slot = has_node;
    layout_.slots.push_back(slot);
  }

  // Checks what is in a slot, with all below it.
  void CheckInSlot(int resource) const {
    const JobResource& inside = At(resource);
    const JobResource& above = At(inside.parent);
    CheckCount(resource);
    CheckShared(resource);
    if (IsSlot(inside))
      Refuse(resource, ".type", "is a slot in a slot; a slot is one pod");
    if (inside.type == "node" && !IsSlot(above))
      Refuse(resource, ".type",
             "is a node below " + Quote(above.type) +
                 " in a slot; a slot is one pod, which is on one node");
    if (inside.type == "node" && !(inside.count == matcher::Count{1, 1}))
      Refuse(resource, ".count",
             "is not 1; a slot is one pod, which is on one node. Several "
             "slots get several nodes");
    if (!LevelWord(inside.type).empty() || inside.type == kWholeCluster)
      Refuse(resource, ".type",
             "is " + Quote(inside.type) +
                 " in a slot; levels of the cluster stand above the slot");
    for (int child = inside.first; child < inside.last; ++child)
      CheckInSlot(child);
  }

  void CheckCount(int resource) const {
    if (At(resource).count.max == 0)
      Refuse(resource, ".count", "is 0, which nothing ever meets");
  }

  // In a slot, and below what is exclusive, all is exclusive.
  void CheckShared(int resource) const {
    if (At(resource).exclusive.value_or(true)) return;
    const char* const kConflict =
        "is false, but all in a slot and below what is exclusive is "
        "exclusive; leave it out";
    if (IsSlot(At(resource))) Refuse(resource, ".exclusive", kConflict);
    for (int above = At(resource).parent; above >= 0; above = At(above).parent)
      if (IsSlot(At(above)) || At(above).exclusive.value_or(false))
        Refuse(resource, ".exclusive", kConflict);
  }

  const Jobspec& jobspec_;
  JobLayout layout_;
};

}  // namespace

std::vector<int> JobLayout::Counted(int slot) const {
  std::vector<int> counted;
  for (const Level& level : levels) counted.push_back(level.resource);
  if (node >= 0) counted.push_back(node);
  counted.insert(counted.end(), within.begin(), within.end());
  counted.push_back(slot);
  return counted;
}

JobLayout LayOut(const Jobspec& jobspec) {
  for (int r = 0; r < std::ssize(jobspec.resources); ++r) {
    const std::string& type = jobspec.resources[r].type;
    if (type.find_first_not_of(kTypeCharacters) != std::string::npos)
      RefuseResource(
          jobspec, r, ".type",
          "is " + Quote(type) + "; letters, digits and any of _-./ are right");
  }
  return Walk(jobspec).Run();
}

std::string PlaceOf(const Jobspec& jobspec, int resource) {
  const int parent = jobspec.resources[resource].parent;
  const int first = parent < 0 ? 0 : jobspec.resources[parent].first;
  const std::string index = "[" + std::to_string(resource - first) + "]";
  return parent < 0 ? "resources" + index
                    : PlaceOf(jobspec, parent) + ".with" + index;
}

void RefuseResource(const Jobspec& jobspec, int resource,
                    const std::string& member, const std::string& wrong) {
  throw matcher::JobspecError(PlaceOf(jobspec, resource) + member + ": " +
                              wrong);
}

bool IsSlot(const matcher::JobResource& resource) {
  return resource.type == "slot" || resource.type == "xor_slot";
}

bool IsRanged(const matcher::Count& count) { return count.min != count.max; }

}  // namespace fluxnetes::workers
