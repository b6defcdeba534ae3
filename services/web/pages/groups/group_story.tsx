// What happened to a group: its times, what its pods were told, what people did
// to it, and the attempts of its match job, in the order of time.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { link } from "../frame/route";
import { Time } from "../frame/times";
import { attemptsOf } from "../jobs/attempts";
import type { AuditRow, ListAuditResponse } from "../messages/audit";
import type { GetGroupResponse, Group } from "../messages/group";
import type { Job, ListJobsResponse } from "../messages/jobs";

interface Step {
  at: string;
  what: string;
}

const kKinds: Record<string, string> = { incomplete: "its pods have not all arrived" };

function toldIn({ told }: GetGroupResponse): Step[] {
  if (!told) return [];
  const why = kKinds[told.kind ?? ""] ?? told.kind;
  return [{ at: told.at, what: `its pods were last told why they wait (event FailedScheduling, condition PodScheduled): ${why}` }];
}

function timesOf(group: Group): Step[] {
  const steps: [string | undefined, string][] = [
    [group.submittedAt, "its first pod was created"],
    [group.promotedAt, "all of its pods had arrived"],
    [group.allocatedAt, `it got its nodes: ${(group.nodes ?? []).slice(0, 5).join(", ")}${(group.nodes ?? []).length > 5 ? ", …" : ""}`],
    [group.boundAt, "its last pod was bound"],
    [group.endedAt, `it ended: ${[group.result, group.reason].filter(Boolean).join("; ")}`],
  ];
  return steps.flatMap(([at, what]) => (at ? [{ at, what }] : []));
}

function deedOf(row: AuditRow): Step {
  const detail = row.detail ? `: ${row.detail}` : "";
  return { at: row.at ?? "", what: `${row.caller} (${row.via}) did ${row.verb}${detail}` };
}

function attemptsIn(job: Job): Step[] {
  return (job.errors ?? []).map((each) => ({ at: each.at ?? job.createdAt ?? "", what: `attempt ${each.attempt} of job ${job.id} (${job.kind}) failed: ${each.message}` }));
}

export function GroupStory({ detail }: { detail: GetGroupResponse }) {
  const { group } = detail;
  const deeds = useSignal<AuditRow[]>([]);
  const jobs = useSignal<Job[]>([]);
  const problem = useSignal("");
  useEffect(() => {
    const aborter = new AbortController();
    const read = async () => {
      const object = `group/${group.namespace}/${group.name}`;
      deeds.value = (await call<ListAuditResponse>("ListAudit", { object, pageSize: 50 }, aborter.signal)).rows ?? [];
      if (!group.matchJob) return;
      jobs.value = (await call<ListJobsResponse>("ListJobs", { ids: [group.matchJob] }, aborter.signal)).jobs ?? [];
    };
    read().catch((error) => aborter.signal.aborted || (problem.value = wordsOf(error)));
    return () => aborter.abort();
  }, [group.namespace, group.name, group.matchJob, group.state, group.shownState, group.priority]);
  const steps = [...timesOf(group), ...toldIn(detail), ...deeds.value.map(deedOf), ...jobs.value.flatMap(attemptsIn)];
  // Kubernetes has no more than seconds; within one, the order is that of above.
  const secondOf = (step: Step) => Math.floor(Date.parse(step.at) / 1000);
  steps.sort((a, b) => secondOf(a) - secondOf(b));
  return (
    <section aria-labelledby="story">
      <h2 id="story">What happened</h2>
      {problem.value && <p class="problem">{problem.value}</p>}
      <ol class="story">
        {steps.map((each) => (
          <li>
            <Time at={each.at} /> {each.what}
          </li>
        ))}
      </ol>
      <p class="command">
        What kubelets say of its pods: <code>kubectl -n {group.namespace} get events --sort-by .lastTimestamp</code>
      </p>
      {jobs.value.map((job) => (
        <p>
          <a href={link(["jobs"], { kind: job.kind ?? "" })}>Job {job.id}</a> of the work queue places it: {job.state}, attempt {attemptsOf(job)}.
        </p>
      ))}
    </section>
  );
}
