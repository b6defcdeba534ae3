#include "matcher/rules/node_labels.h"

#include <algorithm>

namespace fluxnetes::matcher {

NodeLabels::NodeLabels(NodeOrders& orders) : orders_(orders) {
  keys_.emplace_back();  // kEachNode
}

TextId NodeLabels::ValueId(NodeIndex node, TextId key) const {
  const auto& labels = nodes_[node].labels;
  const auto found = std::lower_bound(
      labels.begin(), labels.end(), key,
      [](const auto& label, TextId wanted) { return label.first < wanted; });
  return found == labels.end() || found->first != key ? -1 : found->second;
}

const std::string* NodeLabels::Value(NodeIndex node, TextId key) const {
  const TextId value = ValueId(node, key);
  return value < 0 ? nullptr : &texts_[value];
}

Labels NodeLabels::LabelsOf(NodeIndex node) const {
  Labels labels;
  for (const auto& [key, value] : nodes_[node].labels) {
    labels.emplace(texts_[key], texts_[value]);
  }
  return labels;
}

void NodeLabels::Reserve(NodeIndex node) {
  while (size() <= node) {
    nodes_.emplace_back();
    for (Key& key : keys_) key.of.push_back(-1);
  }
}

void NodeLabels::Set(NodeIndex node, std::string_view name,
                     const Labels& labels, const std::vector<Taint>& taints) {
  Reserve(node);
  for (Key& key : keys_) Leave(key, node);
  Node& here = nodes_[node];
  const auto before = std::move(here.labels);
  here.labels.clear();
  for (const auto& [key, value] : labels) {
    here.labels.emplace_back(texts_.Take(key), texts_.Take(value));
  }
  std::sort(here.labels.begin(), here.labels.end());
  for (const auto& [key, value] : before) {
    texts_.Give(key);
    texts_.Give(value);
  }
  here.name = name;
  here.taints = taints;
  for (Key& key : keys_) {
    Enter(key, node);
    DropIfUnused(key);
  }
}

void NodeLabels::Enter(Key& key, NodeIndex node) {
  const TextId value = key.text < 0 ? -1 : ValueId(node, key.text);
  if (value < 0) return;
  const auto [place, added] = key.by_value.try_emplace(value, 0);
  if (added) {
    if (key.unused.empty()) {
      place->second = static_cast<DomainId>(key.domains.size());
      key.domains.emplace_back();
    } else {
      place->second = key.unused.back();
      key.unused.pop_back();
    }
    key.domains[place->second].value = texts_.Take(texts_[value]);
  }
  key.of[node] = place->second;
  key.domains[place->second].mask.Insert(node);
  key.having.Set(node, true, orders_);
}

void NodeLabels::Leave(Key& key, NodeIndex node) {
  const DomainId domain = key.of[node];
  if (domain < 0) return;
  key.of[node] = -1;
  key.having.Set(node, false, orders_);
  Domains& left = key.domains[domain];
  left.mask.Erase(node);
  if (!left.mask.nodes().empty()) return;
  key.by_value.erase(left.value);
  texts_.Give(left.value);
  left.value = -1;
  key.unused.push_back(domain);
}

void NodeLabels::DropIfUnused(Key& key) {
  if (key.text < 0 || key.uses > 0 || !key.by_value.empty()) return;
  texts_.Give(key.text);
  key.text = -1;
  key.domains.clear();
  key.unused.clear();
  key.having.Clear();
}

KeyId NodeLabels::TakeKey(std::string_view name) {
  const TextId text = texts_.Find(name);
  KeyId id = keys();
  for (KeyId each = keys() - 1; each > kEachNode; --each) {
    if (keys_[each].text < 0) id = each;
    if (text < 0 || keys_[each].text != text) continue;
    ++keys_[each].uses;
    return each;
  }
  if (id == keys()) keys_.emplace_back();
  Key& key = keys_[id];
  key.text = texts_.Take(name);
  key.uses = 1;
  key.of.assign(nodes_.size(), -1);
  for (NodeIndex node = 0; node < size(); ++node) Enter(key, node);
  return id;
}

void NodeLabels::GiveKey(KeyId id) {
  if (id == kEachNode) return;
  --keys_[id].uses;
  DropIfUnused(keys_[id]);
}

const std::string& NodeLabels::KeyName(KeyId key) const {
  static const std::string kEach = "each node";
  return key == kEachNode ? kEach : texts_[keys_[key].text];
}

const std::string& NodeLabels::DomainName(KeyId key, DomainId domain) const {
  return key == kEachNode ? nodes_[domain].name
                          : texts_[keys_[key].domains[domain].value];
}

}  // namespace fluxnetes::matcher
