// One node: what of it is in use, its groups now and later, its maintenance, its
// labels and what it has inside.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Loading, Problem } from "../frame/notice";
import { groupLink, link } from "../frame/route";
import { Time } from "../frame/times";
import type { GetNodeResponse, NodeGroup } from "../messages/nodes";
import { bytesText, cpuText, DeviceUse, OtherUse, Use } from "./amounts";
import { mayOperate } from "../frame/session";
import { DrainQuestion } from "./drain";
import { InteriorPicture } from "./interior_picture";
import { MaintenanceTable } from "./maintenance_table";

function kindText(group: NodeGroup): string {
  return (group.kind ?? "").replace("TIMELINE_KIND_", "").toLowerCase();
}

function Groups({ groups }: { groups: NodeGroup[] }) {
  if (groups.length === 0) return <p class="none">No group has it, and none has it reserved.</p>;
  const devices = groups.some((each) => each.devices);
  return (
    <table class="wide" tabIndex={0}>
      <Heads of={["group", "what", "from", "until", "pods here", "cpu", "memory", "inside", ...(devices ? ["devices"] : [])]} />
      <tbody>
        {groups.map((group) => {
          const runs = group.kind === "TIMELINE_KIND_RUNNING";
          return (
            <tr key={`${group.id} ${group.kind}`}>
              <th scope="row">
                <a href={groupLink(group)}>
                  {group.namespace}/{group.name}
                </a>
              </th>
              <td>{kindText(group)}</td>
              <td>{group.startsAt ? <Time at={group.startsAt} /> : "not known"}</td>
              <td>{group.endsAt ? <Time at={group.endsAt} /> : "no end"}</td>
              <td class="number">{runs ? `${group.podsHere ?? 0} of ${group.size ?? 0}` : ""}</td>
              <td class="number">{runs ? cpuText(Number(group.cpuMilli ?? 0)) : ""}</td>
              <td class="number">{runs ? bytesText(Number(group.memoryBytes ?? 0)) : ""}</td>
              <td>{(group.inside ?? []).map((path) => <div>{path}</div>)}</td>
              {devices && <td>{(group.devices ?? []).map((name) => <div>{name}</div>)}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Facts({ answer }: { answer: GetNodeResponse }) {
  const { node } = answer;
  const labels = Object.entries(node.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <dl class="facts">
      <dt>cpu</dt>
      <dd>
        <Use amount={node.cpuMilli} text={cpuText} />
      </dd>
      <dt>memory</dt>
      <dd>
        <Use amount={node.memoryBytes} text={bytesText} />
      </dd>
      <dt>pods</dt>
      <dd>
        <Use amount={node.pods} text={String} />
      </dd>
      <dt>other</dt>
      <dd>
        <OtherUse node={node} />
      </dd>
      {node.devices && (
        <>
          <dt>devices</dt>
          <dd>
            <DeviceUse node={node} />
          </dd>
        </>
      )}
      {answer.unmanagedDevices && (
        <>
          <dt>devices of unmanaged pods</dt>
          <dd>
            {answer.unmanagedDevices.map((each) => (
              <div>
                {each.device}: {each.namespace}/{each.pod}
              </div>
            ))}
          </dd>
        </>
      )}
      {node.unschedulable && (
        <>
          <dt>closed</dt>
          <dd class="problem">{node.unschedulable}</dd>
        </>
      )}
      <dt>labels</dt>
      <dd>
        <details>
          <summary>{labels.length} labels</summary>
          {labels.map(([name, value]) => (
            <div>
              {name}={value}
            </div>
          ))}
        </details>
      </dd>
      {answer.structure && (
        <>
          <dt>inside</dt>
          <dd>
            <InteriorPicture structure={answer.structure} groups={answer.groups ?? []} />
            <details>
              <summary>as text</summary>
              <pre>{answer.structure}</pre>
            </details>
          </dd>
        </>
      )}
    </dl>
  );
}

export function NodePage({ name }: { name: string }) {
  const asks = useSignal(false);
  const { data, problem, readAgain } = useLive(() => call<GetNodeResponse>("GetNode", { name }), {}, name, 5_000);
  useEffect(() => {
    document.title = `${name} – Fluxnetes`;
  }, [name]);
  const answer = data.value;
  return (
    <section class="page node" aria-labelledby="title">
      <h1 id="title">Node {name}</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!answer && problem.value === "" && <Loading />}
      {answer && (
        <>
          <p class="buttons">
            {mayOperate() && <button onClick={() => (asks.value = true)}>Drain…</button>}
            <a href={link(["timeline"], { find: name })}>Show it in the timeline</a>
          </p>
          <Facts answer={answer} />
          <h2>Groups</h2>
          <Groups groups={answer.groups ?? []} />
          <h2>Maintenance</h2>
          {answer.maintenance?.length ? <MaintenanceTable windows={answer.maintenance} done={readAgain} /> : <p class="none">None is announced.</p>}
        </>
      )}
      {asks.value && <DrainQuestion nodes={[name]} close={() => (asks.value = false)} done={readAgain} />}
    </section>
  );
}
