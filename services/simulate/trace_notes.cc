#include "services/simulate/trace_notes.h"

#include <fmt/format.h>

#include <utility>

namespace fluxnetes::services {

std::vector<TraceNote> NotesOf(const cluster::SwfTrace& trace) {
  const std::pair<cluster::SwfCount, const char*> left_out[] = {
      {trace.no_submit_time, "the submit time is not known"},
      {trace.no_run_time, "the run time is not known"},
      {trace.no_processors, "the number of processors is not known"},
      {trace.cancelled, "cancelled before it ran"},
      {trace.parts, "a part of a job that was swapped out"}};
  const std::pair<cluster::SwfCount, const char*> otherwise[] = {
      {trace.rounded, "a time with a fraction is rounded to whole seconds"},
      {trace.short_runs, "a run time of 0 counts as a second"},
      {trace.joined,
       "put together from the parts of a job that was swapped out"},
      {trace.disordered, "submitted before the job in the line above"},
      {trace.same_number, "the job number is that of an earlier job"},
      {trace.dependent, "the end of the preceding job is not waited for"},
      {trace.elsewhere,
       "the partition is another than the first job's, and is ignored"}};
  std::vector<TraceNote> notes;
  for (const auto& [count, what] : left_out)
    if (count.jobs > 0)
      notes.push_back({what, count.jobs, count.first_line, true});
  for (const auto& [count, what] : otherwise)
    if (count.jobs > 0)
      notes.push_back({what, count.jobs, count.first_line, false});
  return notes;
}

std::string TextOf(const TraceNote& note) {
  const char* const were = note.jobs == 1 ? " was" : "s were";
  return fmt::format("{} job{} {}: {} (the first is in line {})", note.jobs,
                     were, note.left_out ? "left out" : "read otherwise",
                     note.what, note.first_line);
}

}  // namespace fluxnetes::services
