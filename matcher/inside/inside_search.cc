#include "matcher/inside/inside_search.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {

InsideSearch::InsideSearch(const NodeStructure& structure, ResourceGraph graph,
                           Policy policy)
    : structure_(structure),
      graph_(std::move(graph)),
      filters_("", graph_),
      selection_(graph_, bookings_, filters_, policy, /*sort_equals=*/false),
      taken_(graph_.size()),
      shared_(graph_.size()),
      shares_(graph_.size()),
      plan_ids_(graph_.size()),
      share_ids_(graph_.size()) {
  filters_.Resize(graph_.size());
  bookings_.Resize(graph_.size(), graph_.edges());
}

std::optional<JobRequest> InsideSearch::Prepare(const Jobspec& jobspec,
                                                bool flexible) const {
  return MakeJobRequest(jobspec, flexible, graph_, filters_);
}

std::optional<JobRequest> InsideSearch::PrepareVariant(
    const Jobspec& jobspec, const InsideChoice& choice) const {
  const auto whole = Prepare(choice.whole, /*flexible=*/true);
  if (!whole) return std::nullopt;
  JobRequest request =
      MakeVariantRequest({jobspec, choice.origins}, *whole, graph_, filters_);
  request.spec = &jobspec;
  return request;
}

// Books and releases vertices until the bookings hold what `to` says.
void InsideSearch::Put(const VertexMask& to, VertexMask& loaded,
                       VertexPlans& plans, std::vector<PlanId>& ids,
                       bool whole) {
  for (std::size_t i = 0; i < to.words().size(); ++i) {
    const std::uint64_t differ = to.words()[i] ^ loaded.words()[i];
    VertexMask::ForEach(differ, i, [&](VertexIndex v) {
      const std::int64_t total = whole ? graph_.units(v) : kMaxSharing;
      if (loaded.Contains(v)) {
        plans.RemoveSpan(v, ids[v]);
      } else {
        ids[v] = plans.AddSpan(v, total, 0, 1, whole ? total : 1).value_or(0);
      }
    });
  }
  loaded = to;
}

void InsideSearch::Load(const VertexMask& taken) {
  shares_ = taken;
  taken.ForEach([&](VertexIndex v) {
    VertexIndex up = structure_.parent(v);
    while (up != kNoVertex && !shares_.Contains(up)) {
      shares_.Insert(up);
      up = structure_.parent(up);
    }
  });
  Put(taken, taken_, bookings_.plans, plan_ids_, true);
  Put(shares_, shared_, bookings_.sharing, share_ids_, false);
}

std::optional<std::vector<VertexIndex>> InsideSearch::Run(
    const JobRequest& request, const VertexMask& taken) {
  Load(taken);
  const Selection::Times times{0, 1, false, true, true};
  if (!selection_.RunPlain(request, times)) return std::nullopt;
  request_ = &request;
  got_.clear();
  Gather(graph_.root(), selection_.root_mark().exclusive, false);
  if (got_.empty()) return std::nullopt;
  std::sort(got_.begin(), got_.end());
  return got_;
}

// Collects what is selected at and below the vertex, as a Matcher books it.
void InsideSearch::Gather(VertexIndex v, bool exclusive, bool whole) {
  whole = whole || request_->exclusive.contains(graph_.type(v));
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    if (!whole && !selection_.Selected(e)) continue;
    Gather(graph_.target(e), whole || selection_.mark(e).exclusive, whole);
  }
  if (whole || exclusive) got_.push_back(v);
}

}  // namespace fluxnetes::matcher
