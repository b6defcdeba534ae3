// The labels of a pod. Each of a hundred thousand pods has about ten labels,
// and most labels are common to many pods. So each label is stored once for all
// pods that have it, as far as CommonParts (common_parts.h) knows it, and a pod
// stores one pointer per label.
//
// Has the interface of a map in order of key. A value: copies share their
// labels, which never change; setting a label replaces the pointer. As
// thread-safe as any value.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

using LabelMap = std::map<std::string, std::string>;

class PodLabels {
 public:
  using value_type = LabelMap::value_type;
  using Label = std::shared_ptr<const value_type>;

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = PodLabels::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    const_iterator() = default;
    explicit const_iterator(const Label* label) : label_(label) {}
    reference operator*() const { return **label_; }
    pointer operator->() const { return label_->get(); }
    const_iterator& operator++() {
      ++label_;
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++label_;
      return before;
    }
    bool operator==(const const_iterator&) const = default;

   private:
    const Label* label_ = nullptr;
  };
  using iterator = const_iterator;

  PodLabels() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is read as one
  PodLabels(const LabelMap& labels);
  PodLabels(std::initializer_list<value_type> labels)
      : PodLabels(LabelMap(labels)) {}

  const_iterator begin() const { return const_iterator(labels_.data()); }
  const_iterator end() const {
    return const_iterator(labels_.data() + labels_.size());
  }
  bool empty() const { return labels_.empty(); }
  std::size_t size() const { return labels_.size(); }
  const_iterator find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != end(); }
  // Throws std::out_of_range.
  const std::string& at(std::string_view key) const;

  // Sets a label while a pod is built: returns the value of a label that this
  // pod alone has. Assign it at once, before the pod is copied.
  std::string& operator[](const std::string& key);
  void erase(std::string_view key);
  void clear() { labels_.clear(); }

  bool operator==(const PodLabels& other) const;

 private:
  friend class CommonParts;
  std::size_t PlaceOf(std::string_view key) const;

  std::vector<Label> labels_;  // in order of key
};

}  // namespace fluxnetes::cluster
