#include "queue/store/unique_jobs.h"

#include <algorithm>
#include <map>
#include <set>

#include "queue/store/unique_queries.h"

namespace fluxnetes::queue {
namespace {

// The array parameters of claim_unique_keys.
struct Wanted {
  std::vector<int> places;
  std::vector<std::string> kinds, queues, args, states, keys;
  std::vector<std::optional<sql::Timestamp>> times;
  std::vector<bool> by_args, by_queue;
  std::vector<std::int64_t> periods;

  void Add(int place, const NewJob& job) {
    const Unique& unique = *job.unique;
    places.push_back(place);
    kinds.push_back(job.kind);
    queues.push_back(job.queue);
    args.push_back(job.args);
    times.push_back(job.scheduled_at);
    states.push_back(Literal(NamesOf(unique.states)));
    by_args.push_back(unique.by_args);
    keys.push_back(Literal(unique.by_keys));
    by_queue.push_back(unique.by_queue);
    periods.push_back(unique.by_period ? unique.by_period->count() : 0);
  }

 private:
  static std::string Literal(std::vector<std::string> words) {
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return *sql::Parameter(words).text();
  }

  static std::vector<std::string> NamesOf(const std::vector<JobState>& states) {
    std::vector<std::string> names;
    for (const JobState state : states) names.emplace_back(NameOf(state));
    return names;
  }
};

}  // namespace

UniqueJobs::UniqueJobs(sql::Transaction& transaction,
                       std::span<const NewJob> jobs)
    : transaction_(transaction), places_(jobs.size()) {
  Claim(jobs);
  FindKept();
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.key.empty()) continue;
    place.same_as = first.insert({place.key, i}).first->second;
    place.first = place.existing == 0 && place.same_as == i;
  }
}

void UniqueJobs::Claim(std::span<const NewJob> jobs) {
  Wanted wanted;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (jobs[i].unique) wanted.Add(static_cast<int>(i), jobs[i]);
  for (const sql::Row row : transaction_.Run(
           queries::kClaimUniqueKeys, wanted.places, wanted.kinds,
           wanted.queues, wanted.args, wanted.times, wanted.states,
           wanted.by_args, wanted.keys, wanted.by_queue, wanted.periods)) {
    Place& place = places_[row.Get<int>(0)];
    place.key = row.Get<std::string>(1);
    place.existing = row.Find<std::int64_t>(2).value_or(0);
  }
}

void UniqueJobs::FindKept() {
  std::vector<std::int64_t> owners;
  for (const Place& place : places_)
    if (place.existing != 0) owners.push_back(place.existing);
  if (owners.empty()) return;
  std::set<std::int64_t> kept;
  for (const sql::Row row :
       transaction_.Run(queries::kJobsThatKeepTheirKeys, owners))
    kept.insert(row.Get<std::int64_t>(0));
  for (Place& place : places_)
    if (!kept.contains(place.existing)) place.existing = 0;
}

std::vector<Inserted> UniqueJobs::Finish(
    const std::vector<Inserted>& inserted) {
  std::vector<Inserted> all(places_.size());
  std::vector<std::string> keys;
  std::vector<std::int64_t> ids;
  std::size_t next = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.first) {
      all[i] = inserted.at(next++);
      if (place.key.empty()) continue;
      keys.push_back(place.key);
      ids.push_back(all[i].id);
    } else if (place.existing != 0) {
      all[i] = {place.existing, true};
    } else {
      all[i] = {all[place.same_as].id, true};
    }
  }
  if (!keys.empty()) transaction_.Run(queries::kGiveUniqueKeys, keys, ids);
  return all;
}

}  // namespace fluxnetes::queue
