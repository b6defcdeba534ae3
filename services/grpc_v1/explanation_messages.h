// Why a group waits, as fluxnetes.v1 has it.
//
// Pure.
#pragma once

#include "services/explain/group_explanation.h"

namespace fluxnetes::v1 {
class ExplainGroupResponse;
}

namespace fluxnetes::services {

void Fill(v1::ExplainGroupResponse& message,
          const GroupExplanation& explanation, sql::Timestamp now);

}  // namespace fluxnetes::services
