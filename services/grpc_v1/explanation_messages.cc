#include "services/grpc_v1/explanation_messages.h"

#include <algorithm>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/explain/explanation_text.h"
#include "services/feed/group_messages.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kMostNames = 100;

void FillBefore(v1::ExplainGroupResponse& message,
                const GroupExplanation& explanation) {
  message.set_before(explanation.before);
  for (const GroupBefore& before : explanation.first) {
    v1::GroupBefore& next = *message.add_first_before();
    next.set_name(before.name);
    next.set_size(before.size);
    next.set_position(before.position);
    next.set_phase(static_cast<v1::GroupPhase>(PhaseNumber(before.phase)));
    if (before.estimated_start)
      Fill(*next.mutable_estimated_start(), *before.estimated_start);
  }
}

void FillHolders(v1::ExplainGroupResponse& message,
                 const GroupExplanation& explanation) {
  message.set_holders(explanation.holders);
  message.set_endless_holders(explanation.endless);
  for (const Holder& holder : explanation.first_to_end) {
    v1::Holder& next = *message.add_first_to_end();
    next.set_name(holder.name);
    if (holder.ends_at) Fill(*next.mutable_ends_at(), *holder.ends_at);
  }
}

void FillNodes(v1::ExplainGroupResponse& message,
               const GroupExplanation& explanation) {
  for (const NodesForPods& pods : explanation.nodes) {
    v1::NodesForPods& next = *message.add_nodes();
    next.set_needs(pods.needs);
    next.set_pods(pods.pods);
    for (const NodeVerdict& judged : pods.verdicts) {
      v1::NodeVerdict& verdict = *next.add_verdicts();
      verdict.set_kind(judged.kind);
      verdict.set_why(judged.why);
      verdict.set_count(static_cast<int>(judged.nodes.size()));
      for (std::size_t i = 0; i < std::min(judged.nodes.size(), kMostNames);
           ++i)
        verdict.add_nodes(judged.nodes[i]);
    }
  }
}

void FillChanges(v1::ExplainGroupResponse& message,
                 const GroupExplanation& explanation) {
  for (const std::string& known : KnownHelp(explanation.detail)) {
    v1::HelpfulChange& change = *message.add_changes();
    change.set_kind("state");
    change.set_change(known);
  }
  if (!explanation.prospects) return;
  for (const Prospect& better : explanation.prospects->better) {
    v1::HelpfulChange& change = *message.add_changes();
    change.set_kind(better.kind);
    change.set_change(better.change);
    change.mutable_starts_at()->set_seconds(better.start);
  }
  message.set_changes_unknown(explanation.prospects->unknown);
  message.set_changes_complete(explanation.prospects->complete &&
                               explanation.prospects->unknown.empty());
}

}  // namespace

void Fill(v1::ExplainGroupResponse& message,
          const GroupExplanation& explanation, sql::Timestamp now) {
  const GroupRow& group = explanation.detail.group;
  Fill(*message.mutable_group(), group);
  message.set_summary(SummaryOf(group, now));
  FillBefore(message, explanation);
  FillHolders(message, explanation);
  FillNodes(message, explanation);
  FillChanges(message, explanation);
}

}  // namespace fluxnetes::services
