// What may follow when tasks are added to nodes of one structure. A state is a
// set of taken vertices. In each state a request either does not fit, or takes
// certain vertices and leads to a next state; so a search is made once for each
// state and request, however many nodes come to that state.
//
//   {}  --4 gpus of an island-->  {island0/}  --the same-->  {island0/,
//   island1/}
//
// Owned by one thread.
// Tests: tests/matcher/inside/node_interior_test.cc.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/graph/hash_index.h"
#include "matcher/inside/inside_bound.h"
#include "matcher/inside/inside_request.h"
#include "matcher/inside/inside_search.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/vertex_mask.h"
#include "matcher/nodes/node_set.h"
#include "matcher/policy.h"

namespace fluxnetes::matcher {

using StateId = std::int32_t;

class InsideStates {
 public:
  InsideStates(const NodeStructure& structure, Policy policy)
      : structure_(structure), policy_(policy) {}

  StateId Find(const VertexMask& taken);
  std::span<const std::uint64_t> taken(StateId state) const {
    return std::span(words_).subspan(Begin(state), WordsOfState());
  }
  int size() const { return size_; }
  // About how much memory the states take.
  std::size_t bytes() const { return bytes_; }

  // What a task takes in a state.
  struct Step {
    StateId next = kDoesNotFit;
    std::int32_t vertices = -1;  // see vertices()
  };
  static constexpr StateId kDoesNotFit = -1;
  static constexpr int kRefusedInARow = 8;

  // `request` is the one of this shape, and a shape has one request forever.
  // Where the bounds have refused the shape several times in a row, as they do
  // if it fits nowhere, they are asked first, and what they refuse is not kept:
  // they tell it in a quarter of the time that keeping takes.
  Step StepFrom(StateId state, ShapeId shape, const InsideRequest& request) {
    if (shape != last_shape_) {
      last_prepared_ = &PreparedFor(shape, request);
      last_shape_ = shape;
      refused_ = 0;
    }
    if (refused_ >= kRefusedInARow) {
      if (!MayFit(*last_prepared_, state)) return {};
      refused_ = 0;
    }
    const std::int32_t known =
        step_index_.Find(HashOf(state, shape), [&](std::int32_t at) {
          return steps_[at].state == state && steps_[at].shape == shape;
        });
    if (known >= 0) return steps_[known].step;
    const Step step = Search(state, shape, request);
    refused_ = step.next == kDoesNotFit ? refused_ + 1 : 0;
    return step;
  }
  // The vertices that a task takes exclusively, in order of index.
  const std::vector<VertexIndex>& vertices(const Step& step) const {
    return vertices_[step.vertices];
  }

  // Gives back what was prepared for a shape that is not used any more.
  void ForgetShape(ShapeId shape) {
    prepared_.erase(shape);
    last_shape_ = kNoShape;
  }
  // Forgets all states.
  void Clear();
  std::int64_t searches() const { return searches_; }

 private:
  // A choice of a request, prepared for a search.
  struct Prepared {
    InsideSearch* search = nullptr;  // null: the structure lacks a type
    std::unique_ptr<const Jobspec> jobspec;
    std::optional<JobRequest> request;
    std::optional<InsideBound> bound;  // none where slots are alternatives
  };
  struct KnownStep {
    StateId state = 0;
    ShapeId shape = kNoShape;
    Step step;
  };
  // A search that looks at these types alone; the empty list: at all.
  struct View {
    std::vector<std::string> types;
    std::unique_ptr<InsideSearch> search;
  };

  std::size_t WordsOfState() const { return (structure_.size() + 63) / 64; }
  std::size_t Begin(StateId state) const { return state * WordsOfState(); }
  static std::size_t HashOf(StateId state, ShapeId shape) {
    return static_cast<std::size_t>(shape) << 32 |
           static_cast<std::uint32_t>(state);
  }
  bool MayFit(const std::vector<Prepared>& choices, StateId state) const;
  Step Search(StateId state, ShapeId shape, const InsideRequest& request);
  bool Block(const InsideRequest& request);
  void AddWhole(const JobRequest& request,
                std::vector<VertexIndex>& vertices) const;
  const std::vector<Prepared>& PreparedFor(ShapeId shape,
                                           const InsideRequest& request);
  Prepared Prepare(const InsideChoice& choice);
  void KeepFirstOfEmpty(std::vector<Prepared>& choices);
  InsideSearch& SearchFor(std::vector<std::string> types);

  const NodeStructure& structure_;
  const Policy policy_;
  int size_ = 0;
  std::vector<std::uint64_t> words_;  // [state * WordsOfState() + word]
  HashIndex index_;                   // of states
  std::vector<KnownStep> steps_;
  HashIndex step_index_;
  std::vector<std::vector<VertexIndex>> vertices_;
  std::size_t bytes_ = 0;
  std::list<View> views_;
  std::unordered_map<ShapeId, std::vector<Prepared>> prepared_;
  // The shape of the last step, and what is prepared for it.
  ShapeId last_shape_ = kNoShape;
  const std::vector<Prepared>* last_prepared_ = nullptr;
  int refused_ = 0;     // times in a row that it did not fit in a new state
  VertexMask from_;     // scratch of Search()
  VertexMask blocked_;  // likewise
  std::int64_t searches_ = 0;
};

}  // namespace fluxnetes::matcher
