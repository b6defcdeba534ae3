// The whole at a glance: counts, what is unwell, who waits longest, what starts
// next. Each leads on.
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Loading, Problem } from "../frame/notice";
import { groupLink, link } from "../frame/route";
import { Age, Time } from "../frame/times";
import type { Check, GroupTime, Overview, System } from "../messages/system";
import "./overview.css";

interface Shown {
  overview: Overview;
  health: Check[];
}

const kCounts = [
  ["bound", "run"],
  ["allocated", "begin"],
  ["pending", "wait"],
  ["provisional", "lack pods"],
  ["unsatisfiable", "can never start"],
] as const;

function Counts({ overview }: { overview: Overview }) {
  return (
    <ul class="counts">
      {kCounts.map(([state, words]) => (
        <li>
          <a href={link(["groups"], { state: `GROUP_STATE_${state.toUpperCase()}` })}>
            <b>{overview[state] ?? "0"}</b> {words}
          </a>
        </li>
      ))}
      <li>
        <b>{overview.succeeded ?? "0"}</b> ended well in an hour
      </li>
      <li>
        <b>{overview.failed ?? "0"}</b> ended otherwise
      </li>
      <li>
        <a href={link(["nodes"])}>
          <b>{overview.nodes ?? "0"}</b> nodes
        </a>
      </li>
    </ul>
  );
}

function troublesOf({ overview, health }: Shown): { text: string; to: string }[] {
  const found = health
    .filter((check) => check.status === "CHECK_STATUS_FAILED")
    .map((check) => ({ text: `${check.name}: ${check.what}`, to: link(["system"]) }));
  for (const queue of overview.pausedQueues ?? [])
    found.push({ text: `The queue ${queue} is paused.`, to: link(["queues"]) });
  if (overview.unsatisfiable)
    found.push({
      text: `${overview.unsatisfiable} can never start as the cluster is.`,
      to: link(["groups"], { state: "GROUP_STATE_UNSATISFIABLE" }),
    });
  if (overview.closedNodes) found.push({ text: `${overview.closedNodes} nodes accept no pods.`, to: link(["nodes"]) });
  if (overview.failingJobs)
    found.push({ text: `${overview.failingJobs} jobs of the work queue fail again and again.`, to: link(["system"]) });
  return found;
}

function Times({ title, what, groups, none }: { title: string; what: string; groups: GroupTime[]; none: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {groups.length === 0 && <p class="none">{none}</p>}
      {groups.length > 0 && (
        <table class="wide" tabIndex={0} aria-label={title}>
          <Heads of={["group", "pods", "queue", what, "why"]} />
          <tbody>
            {groups.map((group) => (
              <tr key={group.id}>
                <th scope="row">
                  <a href={groupLink(group)}>
                    {group.namespace}/{group.name}
                  </a>
                </th>
                <td class="number">{group.size}</td>
                <td>{group.queue}</td>
                <td>{what === "start" ? <Time at={group.at} /> : <Age at={group.at} />}</td>
                <td>{group.note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function OverviewPage() {
  const { data, problem, readAgain } = useLive<Shown>(
    async () => {
      const [overview, system] = await Promise.all([call<Overview>("GetOverview", {}), call<System>("GetSystem", {})]);
      return { overview, health: system.health ?? [] };
    },
    {},
    "",
  );
  useEffect(() => {
    document.title = "Overview – Fluxnetes";
  }, []);
  const shown = data.value;
  return (
    <section class="page overview" aria-labelledby="title">
      <h1 id="title">Overview</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!shown && problem.value === "" && <Loading />}
      {shown && (
        <>
          <Counts overview={shown.overview} />
          <p class="count">
            Counted <Age at={shown.overview.countedAt} /> ago
          </p>
          <section aria-label="What is unwell">
            <h2>What is unwell</h2>
            {troublesOf(shown).length === 0 && <p>Nothing.</p>}
            <ul>
              {troublesOf(shown).map((each) => (
                <li>
                  <a href={each.to}>{each.text}</a>
                </li>
              ))}
            </ul>
          </section>
          <Times title="Waiting longest" what="waits for" groups={shown.overview.oldest ?? []} none="No group waits." />
          <Times
            title="Next starts"
            what="start"
            groups={shown.overview.nextStarts ?? []}
            none="No start is estimated yet."
          />
        </>
      )}
    </section>
  );
}
