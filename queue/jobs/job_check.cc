#include "queue/jobs/job_check.h"

#include <fmt/format.h>

#include "queue/jobs/json_text.h"

namespace fluxnetes::queue {
namespace {

using Code = JobError::Code;

void CheckName(const std::string& name, const char* what, Code code) {
  if (name.empty()) throw JobError(code, fmt::format("a job needs a {}", what));
  if (name.size() > kMaxNameBytes)
    throw JobError(code, fmt::format("a job's {} has {} bytes, more than {}",
                                     what, name.size(), kMaxNameBytes));
  if (!IsText(name))
    throw JobError(code,
                   fmt::format("a job's {} is no text in UTF-8 without zero "
                               "bytes",
                               what));
}

void CheckObject(const std::string& text, const char* what, std::size_t limit,
                 Code code) {
  if (text == "{}") return;
  if (text.size() > limit)
    throw JobError(Code::kTooLarge,
                   fmt::format("a job's {} have {} bytes, more than {}", what,
                               text.size(), limit));
  if (!IsJsonObject(text))
    throw JobError(code, fmt::format("a job's {} must be a JSON object", what));
}

void CheckUnique(const Unique& unique) {
  if (unique.states.empty())
    throw JobError(Code::kUnique, "a job is unique over at least one state");
  if (unique.by_period && unique.by_period->count() < 1)
    throw JobError(Code::kUnique, "a period of uniqueness is a second or more");
  if (unique.by_args && !unique.by_keys.empty())
    throw JobError(Code::kUnique,
                   "a job is unique by all args or by some keys, not both");
  for (const std::string& key : unique.by_keys)
    if (!IsText(key))
      throw JobError(Code::kUnique, "a key of uniqueness is no text");
}

}  // namespace

void CheckPriority(int priority) {
  if (priority < 1 || priority > 4)
    throw JobError(
        Code::kPriority,
        fmt::format("a job's priority is 1 (first) to 4, not {}", priority));
}

void CheckMaxAttempts(int max_attempts) {
  if (max_attempts < 1 || max_attempts > kNoLimit)
    throw JobError(Code::kMaxAttempts,
                   fmt::format("a job has 1 to {} attempts, not {}", kNoLimit,
                               max_attempts));
}

void CheckArgs(const std::string& args) {
  CheckObject(args, "args", kMaxArgsBytes, Code::kArgs);
}

void CheckMetadata(const std::string& metadata) {
  CheckObject(metadata, "metadata", kMaxMetadataBytes, Code::kMetadata);
}

void CheckTags(const std::vector<std::string>& tags) {
  if (tags.size() > kMaxTags)
    throw JobError(Code::kTooLarge, fmt::format("a job has {} tags, more than "
                                                "{}",
                                                tags.size(), kMaxTags));
  for (const std::string& tag : tags) {
    if (tag.size() > kMaxNameBytes)
      throw JobError(Code::kTag, fmt::format("a tag has {} bytes, more than {}",
                                             tag.size(), kMaxNameBytes));
    if (!IsText(tag)) throw JobError(Code::kTag, "a tag is no text in UTF-8");
  }
}

void CheckJob(const NewJob& job) {
  CheckName(job.kind, "kind", Code::kKind);
  CheckName(job.queue, "queue", Code::kQueue);
  CheckPriority(job.priority);
  CheckMaxAttempts(job.max_attempts);
  CheckArgs(job.args);
  CheckMetadata(job.metadata);
  CheckTags(job.tags);
  if (job.unique) CheckUnique(*job.unique);
}

}  // namespace fluxnetes::queue
