#include "workers/labels/marks.h"

#include "cluster/text/quote.h"
#include "workers/labels/label_values.h"

namespace fluxnetes::workers {

using cluster::Quote;

std::optional<Mark> FindMark(const cluster::Pod& pod, const char* name,
                             std::string& refused) {
  const auto label = pod.labels.find(name);
  const auto annotation = pod.annotations.find(name);
  const bool has_label = label != pod.labels.end();
  const bool has_annotation = annotation != pod.annotations.end();
  if (!has_label && !has_annotation) return std::nullopt;
  if (has_label && has_annotation && label->second != annotation->second)
    refused = "label and annotation " + std::string(name) + " are " +
              Quote(label->second) + " and " + Quote(annotation->second) +
              ": they must be the same";
  if (!has_label)
    return Mark{"annotation " + std::string(name), annotation->second};
  return Mark{LabelCalled(name), label->second};
}

std::string ReadMark(const cluster::Pod& pod, const char* name,
                     std::string& value) {
  std::string why;
  const auto mark = FindMark(pod, name, why);
  if (!mark) return "";
  if (why.empty()) why = WhyNoLabelValue(mark->place, mark->value);
  if (why.empty()) value = mark->value;
  return why;
}

}  // namespace fluxnetes::workers
