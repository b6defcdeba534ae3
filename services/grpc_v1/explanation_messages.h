// Why a group waits, as a message of fluxnetes.v1.
//
// Pure.
// Tests: tests/services/grpc_v1/grpc_explanation_pgtest.cc.
#pragma once

#include "services/explain/group_explanation.h"

namespace fluxnetes::v1 {
class ExplainGroupResponse;
}

namespace fluxnetes::services {

void Fill(v1::ExplainGroupResponse& message,
          const GroupExplanation& explanation, sql::Timestamp now);

}  // namespace fluxnetes::services
