#include "queue/store/job_row.h"

#include <string>
#include <vector>

namespace fluxnetes::queue {

Job JobFrom(const sql::Row& row) {
  return {.id = row.Get<std::int64_t>(0),
          .kind = row.Get<std::string>(1),
          .queue = row.Get<std::string>(2),
          .args = row.Get<std::string>(3),
          .priority = row.Get<int>(4),
          .attempt = row.Get<int>(5),
          .max_attempts = row.Get<int>(6),
          .created_at = row.Get<sql::Timestamp>(7),
          .scheduled_at = row.Get<sql::Timestamp>(8),
          .attempted_at = row.Get<sql::Timestamp>(9),
          .metadata = row.Get<std::string>(10),
          .tags = row.Get<std::vector<std::string>>(11),
          .failures = row.Get<int>(12)};
}

}  // namespace fluxnetes::queue
