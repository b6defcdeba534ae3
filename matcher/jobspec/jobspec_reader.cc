#include <fmt/format.h>

#include "matcher/jobspec/jobspec.h"
#include "matcher/jobspec/yaml_reader.h"

namespace fluxnetes::matcher {
namespace {

// A resource that has not been read yet.
struct OpenResource {
  YamlPlace place;
  int parent = -1;
  int depth = 1;
};

std::uint32_t ReadUnsigned(const YamlPlace& place, std::uint32_t least) {
  return static_cast<std::uint32_t>(place.Integer(least, Count::kNoMax));
}

Count ReadCount(const YamlPlace& place) {
  Count count;
  if (place.IsScalar()) {
    count.min = count.max = ReadUnsigned(place, 0);
    return count;
  }
  place.AllowOnly({"min", "max", "operator", "operand"});
  count.min = ReadUnsigned(place.At("min"), 1);
  count.max = Count::kNoMax;
  if (place.size() == 1) return count;
  count.max = ReadUnsigned(place.At("max"), 1);
  const YamlPlace op = place.At("operator");
  const std::string_view text = op.Text();
  if (text != "+" && text != "*" && text != "^") {
    op.Fail("is not one of \"+\", \"*\", \"^\"");
  }
  count.op = text[0];
  count.operand = ReadUnsigned(place.At("operand"), count.op == '+' ? 1 : 2);
  if (count.max < count.min) place.Fail("has a max below its min");
  if (count.op == '^' && count.min < 2) {
    place.Fail("has the operator \"^\", which needs a min of 2 or more");
  }
  return count;
}

JobResource ReadResource(const OpenResource& open) {
  const YamlPlace& place = open.place;
  if (open.depth > kMaxJobspecDepth) place.Fail("is nested too deeply");
  place.AllowOnly(
      {"type", "count", "unit", "exclusive", "with", "label", "id"});
  JobResource resource;
  resource.parent = open.parent;
  resource.type = place.At("type").Text();
  if (resource.type.empty()) place.At("type").Fail("is empty");
  resource.count = ReadCount(place.At("count"));
  if (place.Has("unit")) place.At("unit").Text();
  if (place.Has("exclusive")) {
    const YamlPlace exclusive = place.At("exclusive");
    const std::string_view text = exclusive.Text();
    if (text != "true" && text != "false") {
      exclusive.Fail("is not true or false");
    }
    resource.exclusive = text == "true";
  }
  if (place.Has("label")) {
    resource.label = place.At("label").Text();
  } else if (resource.type == "slot") {
    place.Fail("is a slot and has no \"label\", which is required");
  }
  return resource;
}

void ReadResources(const YamlPlace& top, Jobspec& jobspec) {
  std::vector<OpenResource> queue;
  const auto add = [&](const YamlPlace& list, int parent, int depth) {
    list.RequireSequence();
    if (queue.size() + list.size() > kMaxJobspecResources) {
      list.Fail(
          fmt::format("makes more than {} resources", kMaxJobspecResources));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      queue.push_back({list.At(i), parent, depth});
    }
  };
  add(top, -1, 1);
  jobspec.top = static_cast<int>(queue.size());
  if (queue.empty()) top.Fail("is empty");
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const OpenResource open = queue[i];
    JobResource resource = ReadResource(open);
    resource.first = static_cast<int>(queue.size());
    if (open.place.Has("with")) {
      add(open.place.At("with"), static_cast<int>(i), open.depth + 1);
    }
    resource.last = static_cast<int>(queue.size());
    jobspec.resources.push_back(std::move(resource));
  }
}

void CheckTask(const YamlPlace& task) {
  task.AllowOnly({"command", "slot", "count", "distribution", "attributes"});
  task.At("command").RequireSequence();
  task.At("slot").Text();
  const YamlPlace count = task.At("count");
  count.RequireMap();
  if (count.size() != 1) count.Fail("must have exactly one entry");
}

void ReadAttributes(const YamlPlace& place, Jobspec& jobspec) {
  if (place.IsNull()) return;
  place.AllowOnly({"user", "system"});
  if (!place.Has("system")) return;
  const YamlPlace system = place.At("system");
  if (system.IsNull()) return;
  system.RequireMap();
  if (system.Has("duration")) {
    jobspec.duration = system.At("duration").Number();
  }
  if (system.Has("queue")) jobspec.queue = system.At("queue").Text();
  if (system.Has("cwd")) system.At("cwd").Text();
  if (system.Has("environment")) system.At("environment").RequireMap();
  if (system.Has("constraints")) {
    jobspec.constraint = ReadConstraint(system.At("constraints"));
  }
}

Jobspec Read(const YamlPlace& place) {
  place.AllowOnly({"version", "resources", "tasks", "attributes"});
  place.At("version").Integer(1, 9999);
  Jobspec jobspec;
  ReadResources(place.At("resources"), jobspec);
  const YamlPlace tasks = place.At("tasks");
  tasks.RequireSequence();
  for (std::size_t i = 0; i < tasks.size(); ++i) CheckTask(tasks.At(i));
  ReadAttributes(place.At("attributes"), jobspec);
  return jobspec;
}

}  // namespace

Jobspec ParseJobspec(std::string_view text) {
  if (text.size() > kMaxJobspecBytes) {
    throw JobspecError(fmt::format("the jobspec has {} bytes; at most {} do",
                                   text.size(), kMaxJobspecBytes));
  }
  try {
    YamlText document(text);
    return Read(YamlPlace(document));
  } catch (const YamlError& error) {
    throw JobspecError(error.what());
  }
}

}  // namespace fluxnetes::matcher
