#include "matcher/jobspec/job_tasks.h"

#include "matcher/jobspec/yaml_reader.h"

namespace fluxnetes::matcher {
namespace {

JobTask ReadJobTask(const YamlPlace& place) {
  JobTask task;
  task.slot = place.At("slot").Text();
  const YamlPlace count = place.At("count");
  count.RequireMap();
  const auto key = count.size() == 1 ? count.KeyAt(0) : std::nullopt;
  if (!key || (*key != "per_slot" && *key != "total")) {
    count.Fail("is neither per_slot nor total with a number");
  }
  task.per_slot = *key == "per_slot";
  task.count = count.ValueAt(0).Integer(1, kMaxJobTasks);
  return task;
}

}  // namespace

std::vector<JobTask> ReadJobTasks(std::string_view text) {
  try {
    YamlText document(text);
    const YamlPlace list = YamlPlace(document).At("tasks");
    list.RequireSequence();
    std::vector<JobTask> tasks;
    for (std::size_t i = 0; i < list.size(); ++i) {
      tasks.push_back(ReadJobTask(list.At(i)));
    }
    return tasks;
  } catch (const YamlError& error) {
    throw JobspecError(error.what());
  }
}

}  // namespace fluxnetes::matcher
