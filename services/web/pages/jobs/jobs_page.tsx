// The work queue: how many jobs of which kind are in which state, and the jobs
// with their attempts and errors; retry and cancel.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { ChoiceFilter, TextFilter } from "../frame/filters";
import { Heads } from "../frame/heads";
import { Empty, Problem } from "../frame/notice";
import { Paged } from "../frame/paged";
import { PagedList } from "../frame/paged_list";
import { Question } from "../frame/question";
import { link, route } from "../frame/route";
import { caller } from "../frame/session";
import { Age, Time } from "../frame/times";
import type { ChangeJobsResponse, CountJobsResponse, Job, ListJobsResponse } from "../messages/jobs";
import { attemptsOf } from "./attempts";

const kWaiting = ["available", "scheduled", "retryable", "pending", "running"];
const kStates: [string, string][] = ["", ...kWaiting, "completed", "cancelled", "discarded"].map((each) => [each, each || "any state"]);
const kEnded: [string, string][] = [
  ["", "not ended"],
  ["3600", "and of the last hour"],
  ["86400", "and of the last day"],
];

function Counts() {
  const counts = useSignal<CountJobsResponse | null>(null);
  const problem = useSignal("");
  const read = async () => {
    try {
      counts.value = await call<CountJobsResponse>("CountJobs", {});
      problem.value = "";
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => {
    void read();
    const timer = setInterval(() => document.hidden || void read(), 5000);
    return () => clearInterval(timer);
  }, []);
  if (!counts.value) return problem.value ? <Problem what={problem.value} again={() => void read()} /> : null;
  const rows = counts.value.counts ?? [];
  const kinds = [...new Set(rows.map((each) => each.kind ?? ""))];
  return (
    <table class="wide" tabIndex={0}>
      <caption>
        Counted <Age at={counts.value.countedAt} /> ago
      </caption>
      <Heads of={["kind", ...kWaiting, "oldest"]} />
      <tbody>
        {kinds.map((kind) => {
          const of = rows.filter((each) => each.kind === kind);
          return (
            <tr>
              <th scope="row">{kind}</th>
              {kWaiting.map((state) => {
                const count = of.find((each) => each.state === state)?.jobs ?? "0";
                return <td class="number">{count === "0" ? "0" : <a href={link(["jobs"], { kind, state })}>{count}</a>}</td>;
              })}
              <td>
                <Age at={of.find((each) => each.oldestAvailableAt)?.oldestAvailableAt} />
              </td>
            </tr>
          );
        })}
        {kinds.length === 0 && (
          <tr>
            <td colSpan={kWaiting.length + 2}>No job waits or runs.</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function groupIn(args: string | undefined): string {
  try {
    return String((JSON.parse(args ?? "{}") as { group?: number }).group ?? "");
  } catch {
    return "";
  }
}

export function JobErrors({ job }: { job: Job }) {
  const errors = job.errors ?? [];
  if (errors.length === 0) return <span class="none">–</span>;
  const last = errors[errors.length - 1]!;
  return (
    <details>
      <summary>{last.message}</summary>
      <ol>
        {errors.map((each) => (
          <li>
            attempt {each.attempt}, <Time at={each.at} />: {each.message}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Actions({ job, done }: { job: Job; done: () => void }) {
  const asked = useSignal<"retry" | "cancel" | null>(null);
  if (caller.value?.role !== "ROLE_OPERATOR") return null;
  const ended = job.endedAt !== undefined;
  const run = async (reason: string) => {
    const action = asked.value === "retry" ? "JOB_ACTION_RETRY" : "JOB_ACTION_CANCEL";
    const answer = await call<ChangeJobsResponse>("ChangeJobs", { action, ids: [job.id], reason });
    const outcome = answer.jobs?.[0]?.outcome;
    if (outcome === "not allowed") throw new Error(`Job ${job.id} is in another state by now.`);
    if (outcome === "unknown") throw new Error(`There is no job ${job.id} any more.`);
  };
  return (
    <span class="buttons">
      {job.state !== "running" && <button onClick={() => (asked.value = "retry")}>Retry…</button>}
      {!ended && <button onClick={() => (asked.value = "cancel")}>Cancel…</button>}
      {asked.value && (
        <Question
          title={`${asked.value === "retry" ? "Retry" : "Cancel"} job ${job.id}?`}
          verb={asked.value === "retry" ? "Retry" : "Cancel the job"}
          hasReason
          run={run}
          close={() => (asked.value = null)}
          done={done}
        >
          <p>
            It is a job of kind {job.kind} in the queue {job.queue}, {job.state}.{" "}
            {asked.value === "cancel" && "What it was to do is left undone; the scheduler finds that out at its next full comparison."}
          </p>
        </Question>
      )}
    </span>
  );
}

export function JobsPage() {
  const { query } = route.value;
  const key = ["kind", "queue", "state", "ended"].map((name) => query.get(name) ?? "").join("\n");
  const list = useMemo(() => {
    const [kind = "", queue = "", state = "", ended = ""] = key.split("\n");
    const over = ["completed", "cancelled", "discarded"].includes(state);
    return new Paged<Job>(
      "ListJobs",
      { kind, queue, states: state ? [state] : [], finishedWithinSeconds: ended || (over ? "86400" : "0") },
      (answer: ListJobsResponse) => answer.jobs,
    );
  }, [key]);
  useEffect(() => {
    document.title = "Work queue – Fluxnetes";
  }, []);
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Work queue</h1>
      <Counts />
      <div class="filters" role="group" aria-label="Filters">
        <TextFilter name="kind" hint="match, bind…" />
        <TextFilter name="queue" hint="match:default…" />
        <ChoiceFilter name="state" options={kStates} />
        <ChoiceFilter name="ended" words="which" options={kEnded} />
        <button onClick={() => void list.readAgain()}>Read again</button>
      </div>
      <PagedList
        list={list}
        name="jobs"
        things="jobs"
        empty={
          <Empty title="No job is like this">
              <p>
                Jobs that do what they should end within moments. <a href={link(["jobs"], { ended: "3600" })}>Show those of the last hour</a>
              </p>
          </Empty>
        }
        file={{
          heads: ["job", "kind", "queue", "state", "attempt", "created", "scheduled", "ended", "args", "last error"],
          line: (job) => [job.id, job.kind, job.queue, job.state, job.attempt, job.createdAt, job.scheduledAt, job.endedAt, job.args, job.errors?.[job.errors.length - 1]?.message],
        }}
        table={(rows) => (
            <table class="wide" tabIndex={0}>
              <Heads of={["job", "kind", "queue", "state", "attempts", "group", "created", "may run", "ended", "errors", "actions"]} />
              <tbody>
                {rows.map((job) => (
                  <tr key={job.id}>
                    <th scope="row" title={job.args}>
                      {job.id}
                    </th>
                    <td>{job.kind}</td>
                    <td>{job.queue}</td>
                    <td>
                      {job.state}
                      {job.cancelRequestedAt && ", asked to stop"}
                      {job.client && `, ${job.client}`}
                    </td>
                    <td>{attemptsOf(job)}</td>
                    <td>{groupIn(job.args) || "–"}</td>
                    <td>
                      <Time at={job.createdAt} />
                    </td>
                    <td>
                      <Time at={job.scheduledAt} />
                    </td>
                    <td>
                      <Time at={job.endedAt} />
                    </td>
                    <td class="errors">
                      <JobErrors job={job} />
                    </td>
                    <td>
                      <Actions job={job} done={() => void list.readAgain()} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      />
    </section>
  );
}
