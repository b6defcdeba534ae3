#include "cluster/objects/pod_labels.h"

#include <algorithm>
#include <stdexcept>

namespace fluxnetes::cluster {

PodLabels::PodLabels(const LabelMap& labels) {
  labels_.reserve(labels.size());
  for (const value_type& label : labels)
    labels_.push_back(std::make_shared<const value_type>(label));
}

std::size_t PodLabels::PlaceOf(std::string_view key) const {
  const auto found = std::ranges::lower_bound(
      labels_, key, {},
      [](const Label& label) { return std::string_view(label->first); });
  return static_cast<std::size_t>(found - labels_.begin());
}

PodLabels::const_iterator PodLabels::find(std::string_view key) const {
  const std::size_t place = PlaceOf(key);
  if (place == labels_.size() || labels_[place]->first != key) return end();
  return const_iterator(labels_.data() + place);
}

const std::string& PodLabels::at(std::string_view key) const {
  const auto found = find(key);
  if (found == end()) throw std::out_of_range("no label " + std::string(key));
  return found->second;
}

std::string& PodLabels::operator[](const std::string& key) {
  const auto found = find(key);
  const bool added = found == end();
  auto label = std::make_shared<value_type>(key, added ? "" : found->second);
  const auto place =
      labels_.begin() + static_cast<std::ptrdiff_t>(PlaceOf(key));
  if (added) {
    labels_.insert(place, label);
  } else {
    *place = label;
  }
  return label->second;
}

void PodLabels::erase(std::string_view key) {
  if (!contains(key)) return;
  labels_.erase(labels_.begin() + static_cast<std::ptrdiff_t>(PlaceOf(key)));
}

bool PodLabels::operator==(const PodLabels& other) const {
  return std::ranges::equal(
      labels_, other.labels_,
      [](const Label& a, const Label& b) { return a == b || *a == *b; });
}

}  // namespace fluxnetes::cluster
