#include "tests/matcher/random/random_jobspec.h"

#include <deque>

namespace fluxnetes::matcher {
namespace {

constexpr const char* kConstraints[] = {
    R"({properties: ["ssd"]})",
    R"({properties: ["^ssd"]})",
    R"({hostlist: ["node[1-4]"]})",
    R"({ranks: ["2-9"]})",
    R"({not: [{ranks: ["0-1"]}]})",
    R"({and: [{properties: ["ssd"]}, {not: [{hostlist: ["node1"]}]}]})",
    R"({or: [{ranks: ["0"]}, {ranks: ["1-50"]}, {properties: ["new"]}]})",
    R"({or: []})",
    "{}"};

const Constraint& AnyConstraint(Random& random) {
  static const std::vector<Constraint> all = [] {
    std::vector<Constraint> parsed;
    for (const char* text : kConstraints) {
      parsed.push_back(
          ParseJobspec("{version: 1, resources: [{type: node, count: 1}], "
                       "tasks: [], attributes: {system: {constraints: " +
                       std::string(text) + "}}}")
              .constraint);
    }
    return parsed;
  }();
  return all[random.Below(static_cast<int>(all.size()))];
}

struct RandomBranch {
  JobResource resource;
  std::vector<RandomBranch> with;
};
using RandomBranches = std::vector<RandomBranch>;

Jobspec Flatten(const RandomBranches& top) {
  Jobspec spec;
  spec.top = static_cast<int>(top.size());
  std::deque<std::pair<int, const RandomBranches*>> open = {{-1, &top}};
  for (; !open.empty(); open.pop_front()) {
    const auto [parent, level] = open.front();
    const auto first = static_cast<int>(spec.resources.size());
    if (parent >= 0 && !level->empty()) {
      spec.resources[parent].first = first;
      spec.resources[parent].last = first + static_cast<int>(level->size());
    }
    for (const RandomBranch& branch : *level) {
      const auto r = static_cast<int>(spec.resources.size());
      spec.resources.push_back(branch.resource);
      spec.resources.back().parent = parent;
      open.emplace_back(r, &branch.with);
    }
  }
  return spec;
}

class Writer {
 public:
  Writer(Random& random, const std::vector<std::string>& types, bool flexible,
         int most)
      : random_(random), types_(types), flexible_(flexible), most_(most) {}

  Jobspec Make() {
    RandomBranches level;
    if (!random_.OneIn(6)) level = Leaves();
    int slot = random_.Below(static_cast<int>(types_.size()) + 2);
    bool any = !level.empty();
    for (const std::string& type : types_) {
      if (slot-- == 0 && any) level = Slots(level);
      const int skipped = type == "node" ? 2 : type == "socket" ? 3 : 5;
      if (random_.Below(skipped) > 0 && any) continue;
      level = {Resource(type, std::move(level))};
      any = true;
    }
    if (slot == 0) level = Slots(level);
    if (random_.OneIn(12)) level.push_back(Resource("gpu", {}));
    Jobspec spec = Flatten(level);
    spec.duration = random_.OneIn(10) ? 7.5 : 10 * random_.Below(6);
    if (random_.OneIn(6)) spec.constraint = AnyConstraint(random_);
    return spec;
  }

 private:
  RandomBranches Leaves() {
    RandomBranches level = {Resource("core", {})};
    if (random_.OneIn(4)) level.push_back(Resource("gpu", {}));
    if (random_.OneIn(4)) level.push_back(Resource("memory", {}));
    if (random_.OneIn(60)) level.push_back(Resource("fpga", {}));
    if (random_.OneIn(200)) level.push_back(Resource("quantum", {}));
    if (random_.OneIn(100)) level.push_back(Resource("core", {}));
    if (random_.OneIn(40)) level.erase(level.begin());
    if (level.empty()) level.push_back(Resource("memory", {}));
    return level;
  }

  RandomBranches Slots(const RandomBranches& with) {
    RandomBranches level = {Resource("slot", with)};
    if (!flexible_ && !random_.OneIn(50)) return level;
    const char* type = random_.OneIn(3) ? "xor_slot" : "slot";
    level.front().resource.type = type;
    const int more = random_.Below(3);
    for (int i = 0; i < more; ++i) {
      level.push_back(Resource(type, random_.OneIn(2) ? Leaves() : with));
    }
    return level;
  }

  RandomBranch Resource(const std::string& type, RandomBranches with) {
    RandomBranch branch;
    branch.resource.type = type;
    branch.resource.count = Number();
    if (type == "slot") branch.resource.label = "task";
    if (random_.OneIn(9)) branch.resource.exclusive = !random_.OneIn(4);
    branch.with = std::move(with);
    return branch;
  }

  Count Number() {
    const auto number = static_cast<std::uint32_t>(random_.Between(1, 3));
    switch (random_.Below(14)) {
      case 0:
        return {number, number + static_cast<std::uint32_t>(random_.Below(5)),
                '+', static_cast<std::uint32_t>(random_.Between(1, 3))};
      case 1:
        return {number, 12, '*', 2};
      case 2:
        return {number + 1, 20, '^', 2};
      case 3:
        return {number, Count::kNoMax, '+', 1};
      case 4: {
        const auto many = static_cast<std::uint32_t>(random_.Between(1, most_));
        return {many, many, '+', 1};
      }
      case 5:
        if (random_.OneIn(10)) return {0, 0, '+', 1};
        [[fallthrough]];
      default:
        return {number, number, '+', 1};
    }
  }

  Random& random_;
  const std::vector<std::string>& types_;
  const bool flexible_;
  const int most_;
};

std::string ShowLevel(const Jobspec& spec, int first, int last) {
  std::string text = "[";
  for (int r = first; r < last; ++r) {
    const JobResource& resource = spec.resources[r];
    const Count& count = resource.count;
    text += (r == first ? "{type: " : ", {type: ") + resource.type +
            ", count: " + std::to_string(count.min);
    if (count.max != count.min) {
      text += std::string("..") + std::to_string(count.max) + " " + count.op +
              std::to_string(count.operand);
    }
    if (resource.exclusive) {
      text += *resource.exclusive ? ", exclusive" : ", shared";
    }
    if (resource.last > resource.first) {
      text += ", with: " + ShowLevel(spec, resource.first, resource.last);
    }
    text += "}";
  }
  return text + "]";
}

}  // namespace

Jobspec RandomJobspec(Random& random, const std::vector<std::string>& types,
                      bool flexible, int most) {
  return Writer(random, types, flexible, most).Make();
}

Jobspec CommonJobspec(Random& random, int most) {
  const auto ask = [](const char* type, int count, RandomBranches with = {}) {
    RandomBranch branch;
    branch.resource.type = type;
    branch.resource.count.min = count;
    branch.resource.count.max = count;
    if (branch.resource.type == "slot") branch.resource.label = "task";
    branch.with = std::move(with);
    return branch;
  };
  const int few = random.Between(1, 3);
  const int many = random.OneIn(2) ? few : random.Between(1, most);
  const RandomBranches cores = {ask("core", random.OneIn(2) ? 1 : few)};
  RandomBranches top;
  switch (random.Below(9)) {
    case 0:
      top = {ask("slot", many, {ask("node", 1)})};
      break;
    case 6:
      top = {ask("slot", many, {ask("node", 1, cores)})};
      top.front().with.front().resource.exclusive = true;
      break;
    case 1:
      top = {ask("node", many, {ask("slot", 1, cores)})};
      break;
    case 2:
      top = {ask("slot", few, {ask("core", 1), ask("memory", few)})};
      break;
    case 3:
      top = {ask("node", few)};
      top.front().resource.exclusive = true;
      break;
    case 4:
      top = {ask("core", many)};
      break;
    case 5:
      top = {ask("rack", 1, {ask("node", few, {ask("slot", 1, cores)})})};
      top.front().resource.exclusive =
          random.OneIn(3) ? std::optional<bool>(true) : std::nullopt;
      break;
    default:
      top = {ask("slot", random.OneIn(2) ? 1 : many, cores)};
  }
  Jobspec spec = Flatten(top);
  spec.duration = 10 * random.Below(6);
  return spec;
}

Jobspec AlternativesJobspec(Random& random,
                            const std::vector<std::string>& types) {
  const std::string slot = random.OneIn(2) ? "xor_slot" : "slot";
  const auto number = [&](int most) {
    const auto least = static_cast<std::uint32_t>(random.Between(1, most));
    return random.OneIn(4) ? Count{least, least + 3, '+', 1}
                           : Count{least, least, '+', 1};
  };
  RandomBranches level;
  for (int i = random.Between(2, 3); i > 0; --i) {
    RandomBranch branch;
    branch.resource.type = slot;
    branch.resource.label = "task";
    branch.resource.count = number(2);
    for (const char* type : {"core", "gpu", "memory"}) {
      if (random.OneIn(2)) continue;
      RandomBranch part;
      part.resource.type = type;
      part.resource.count = number(4);
      if (random.OneIn(8)) part.resource.exclusive = true;
      branch.with.push_back(std::move(part));
    }
    level.push_back(std::move(branch));
  }
  if (random.OneIn(2)) {
    RandomBranch above;
    above.resource.type = types.front();
    above.resource.count = number(2);
    above.with = std::move(level);
    level = {std::move(above)};
  }
  Jobspec spec = Flatten(level);
  spec.duration = 10 * random.Below(6);
  return spec;
}

std::string Show(const Jobspec& jobspec) {
  return ShowLevel(jobspec, 0, jobspec.top) + " for " +
         std::to_string(jobspec.duration) +
         (jobspec.constraint.empty() ? "" : " with a constraint");
}

}  // namespace fluxnetes::matcher
