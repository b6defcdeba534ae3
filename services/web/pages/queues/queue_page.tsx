// One queue: its policy, the nodes that it has reserved or drains, and its line of
// waiting groups.
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Empty, Loading, Problem } from "../frame/notice";
import { groupLink, link } from "../frame/route";
import { StateMark } from "../frame/state_mark";
import { Age, Time } from "../frame/times";
import type { ListQueuesResponse, Queue } from "../messages/cluster";
import type { Group, ListGroupsResponse } from "../messages/group";

const kShown = 100;
const kNodesNamed = 8;

interface Line {
  queue: Queue | undefined;
  groups: Group[];
}

async function readLine(name: string): Promise<Line> {
  const [{ queues }, { groups }] = await Promise.all([
    call<ListQueuesResponse>("ListQueues", {}),
    call<ListGroupsResponse>("ListGroups", { queue: name, states: ["GROUP_STATE_PENDING"], order: "GROUP_ORDER_START", pageSize: kShown }),
  ]);
  return { queue: queues?.find((each) => each.name === name), groups: groups ?? [] };
}

function GroupName({ group }: { group: Group }) {
  return (
    <th scope="row" class="long">
      <a href={groupLink(group)}>
        {group.namespace}/{group.name}
      </a>
    </th>
  );
}

function Nodes({ names }: { names: string[] }) {
  return (
    <>
      {names.slice(0, kNodesNamed).map((name, i) => (
        <>
          {i > 0 && ", "}
          <a href={link(["nodes", name])}>{name}</a>
        </>
      ))}
      {names.length > kNodesNamed && ` and ${names.length - kNodesNamed} more`}
    </>
  );
}

// A group with a start has a reservation; without one it drains its nodes.
function Reservations({ groups }: { groups: Group[] }) {
  const kept = groups.filter((each) => (each.reservedNodes ?? []).length > 0);
  if (kept.length === 0) return <p>No node is kept free for a group of this queue.</p>;
  return (
    <table class="wide" tabIndex={0} aria-label="Reservations and drain sets">
      <Heads of={["group", "kind", "start", "nodes"]} />
      <tbody>
        {kept.map((each) => (
          <tr key={each.id}>
            <GroupName group={each} />
            <td>
              <StateMark group={each} />
            </td>
            <td>{each.reservation === "drain" ? "when its nodes are free" : <Time at={each.estimatedStart} />}</td>
            <td class="long">
              <Nodes names={each.reservedNodes ?? []} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function InLine({ queue, groups }: { queue: Queue; groups: Group[] }) {
  if (groups.length === 0)
    return (
      <p>
        No group waits for nodes in it. <a href={link(["groups"], { queue: queue.name })}>Show its groups</a>
      </p>
    );
  return (
    <table class="wide" tabIndex={0} aria-label="The line">
      <caption>
        The first {groups.length} of {queue.pending} by their start. <a href={link(["groups"], { queue: queue.name, state: "GROUP_STATE_PENDING" })}>Show all</a>
      </caption>
      <Heads of={["group", "state", "pods", "priority", "age", "start", "why"]} />
      <tbody>
        {groups.map((each) => (
          <tr key={each.id}>
            <GroupName group={each} />
            <td>
              <StateMark group={each} />
            </td>
            <td class="number">{each.size}</td>
            <td class="number">{each.priority}</td>
            <td>
              <Age at={each.submittedAt} />
            </td>
            <td>
              <Time at={each.estimatedStart} />
            </td>
            <td class="long">{each.reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Policy({ queue }: { queue: Queue }) {
  return (
    <dl class="facts">
      <dt>state</dt>
      <dd>{queue.paused ? "paused" : "open"}</dd>
      {Object.entries(queue.settings ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

export function QueuePage({ name }: { name: string }) {
  const { data, problem, readAgain } = useLive<Line>(() => readLine(name), { queue: name }, name);
  useEffect(() => {
    document.title = `Queue ${name} – Fluxnetes`;
  }, [name]);
  const { queue, groups } = data.value ?? {};
  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Queue {name}</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!data.value && problem.value === "" && <Loading />}
      {data.value && !queue && (
        <Empty title={`There is no queue ${name}`}>
          <p>
            <a href={link(["queues"])}>Show the queues</a>
          </p>
        </Empty>
      )}
      {queue && (
        <>
          <h2>Line</h2>
          <InLine queue={queue} groups={groups ?? []} />
          <h2>Reservations and drain sets</h2>
          <Reservations groups={groups ?? []} />
          <h2>Settings</h2>
          <Policy queue={queue} />
        </>
      )}
    </section>
  );
}
