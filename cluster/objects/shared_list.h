// A list whose copies share their elements, which never change: elements that
// thousands of pods have in common take one pointer in each pod
// (common_parts.h). Has the interface of a vector.
//
// As thread-safe as any value.
// Tests: tests/cluster/json/common_parts_test.cc.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

template <typename Element>
class SharedList {
 public:
  using value_type = Element;
  using const_iterator = typename std::vector<Element>::const_iterator;
  using iterator = const_iterator;

  SharedList() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is read as one
  SharedList(std::vector<Element> all)
      : all_(all.empty() ? nullptr
                         : std::make_shared<const std::vector<Element>>(
                               std::move(all))) {}
  SharedList(std::initializer_list<Element> all)
      : SharedList(std::vector<Element>(all)) {}

  const std::vector<Element>& Get() const {
    static const std::vector<Element> kNothing;
    return all_ == nullptr ? kNothing : *all_;
  }

  const_iterator begin() const { return Get().begin(); }
  const_iterator end() const { return Get().end(); }
  bool empty() const { return Get().empty(); }
  std::size_t size() const { return Get().size(); }
  const Element& operator[](std::size_t i) const { return Get()[i]; }

  bool operator==(const SharedList& other) const {
    return all_ == other.all_ || Get() == other.Get();
  }

 private:
  friend class CommonParts;
  std::shared_ptr<const std::vector<Element>>
      all_;  // shared by copies; null: none
};

}  // namespace fluxnetes::cluster
