// The nodes: a heat map of all, maintenance, and a table, two hundred at a time,
// of what each offers, how much of it is in use, and why it accepts no pods.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Empty, Loading, Problem } from "../frame/notice";
import { link } from "../frame/route";
import { Time } from "../frame/times";
import type { ListNodesResponse, Node } from "../messages/cluster";
import type { GetNodeMapResponse, ListMaintenanceResponse } from "../messages/nodes";
import { bytesText, cpuText, OtherUse, Use } from "./amounts";
import { mayOperate } from "../frame/session";
import { DrainQuestion } from "./drain";
import { HeatMap } from "./heat_map";
import { MaintenanceTable } from "./maintenance_table";
import "./nodes.css";

const kPage = 200;

function Closed({ node }: { node: Node }) {
  return (
    <>
      {node.unschedulable}
      {node.maintenanceFrom && (
        <div>
          maintenance from <Time at={node.maintenanceFrom} /> until {node.maintenanceUntil ? <Time at={node.maintenanceUntil} /> : "it is undone"}
          {node.maintenanceReason ? `: ${node.maintenanceReason}` : ""}
        </div>
      )}
    </>
  );
}

interface Chosen {
  names: Set<string>;
  switchTo: (name: string, isChosen: boolean) => void;
}

function NodeLine({ node, chosen }: { node: Node; chosen: Chosen }) {
  const labels = node.labels ?? {};
  return (
    <tr>
      <th scope="row">
        {mayOperate() && (
          <input
            type="checkbox"
            aria-label={`Choose ${node.name}`}
            checked={chosen.names.has(node.name)}
            onChange={(event) => chosen.switchTo(node.name, event.currentTarget.checked)}
          />
        )}
        <a href={link(["nodes", node.name])}>{node.name}</a>
      </th>
      <td>{labels["topology.kubernetes.io/zone"]}</td>
      <td>{labels["topology.kubernetes.io/rack"]}</td>
      <td>
        <Use amount={node.cpuMilli} text={cpuText} />
      </td>
      <td>
        <Use amount={node.memoryBytes} text={bytesText} />
      </td>
      <td>
        <Use amount={node.pods} text={String} />
      </td>
      <td>
        <OtherUse node={node} />
      </td>
      <td>
        <Closed node={node} />
      </td>
    </tr>
  );
}

interface Read {
  nodes: Node[];
  token: string;
  map: GetNodeMapResponse;
  maintenance: ListMaintenanceResponse;
}

// As many pages of nodes as were read before, or one.
async function readNodes(count: number): Promise<{ nodes: Node[]; token: string }> {
  const nodes: Node[] = [];
  let token = "";
  do {
    const next = await call<ListNodesResponse>("ListNodes", { pageSize: kPage, pageToken: token });
    nodes.push(...(next.nodes ?? []));
    token = next.nextPageToken ?? "";
  } while (token !== "" && nodes.length < count);
  return { nodes, token };
}

export function NodesPage() {
  const wanted = useSignal(kPage);
  const chosen = useSignal<Set<string>>(new Set());
  const asks = useSignal(false);
  const more = useSignal("");
  const { data, problem, readAgain } = useLive(
    async (): Promise<Read> => {
      const [map, maintenance, some] = await Promise.all([
        call<GetNodeMapResponse>("GetNodeMap", {}),
        call<ListMaintenanceResponse>("ListMaintenance", {}),
        readNodes(wanted.value),
      ]);
      return { map, maintenance, ...some };
    },
    {},
    "",
    5_000,
  );
  useEffect(() => {
    document.title = "Nodes – Fluxnetes";
  }, []);
  const showMore = async () => {
    try {
      const { nodes, token } = data.value!;
      const next = await call<ListNodesResponse>("ListNodes", { pageSize: kPage, pageToken: token });
      wanted.value += kPage;
      data.value = { ...data.value!, nodes: [...nodes, ...(next.nodes ?? [])], token: next.nextPageToken ?? "" };
      more.value = "";
    } catch (error) {
      more.value = wordsOf(error);
    }
  };
  const choice: Chosen = {
    names: chosen.value,
    switchTo: (name, isChosen) => {
      const names = new Set(chosen.value);
      if (isChosen) names.add(name);
      else names.delete(name);
      chosen.value = names;
    },
  };
  const shown = data.value;
  const count = chosen.value.size;
  return (
    <section class="page nodes" aria-labelledby="title">
      <h1 id="title">Nodes</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!shown && problem.value === "" && <Loading />}
      {shown?.nodes.length === 0 && (
        <Empty title="There are no nodes">
          <p>
            The scheduler has seen none yet; <code>fluxnetes doctor</code> says why.
          </p>
        </Empty>
      )}
      {shown && shown.nodes.length > 0 && (
        <>
          <HeatMap map={shown.map} />
          {mayOperate() && (
            <p class="buttons">
              <button onClick={() => (asks.value = true)}>{count === 0 ? "Announce maintenance…" : `Drain ${count === 1 ? "1 node" : `${count} nodes`}…`}</button>
              {count > 0 && <button onClick={() => (chosen.value = new Set())}>Choose none</button>}
            </p>
          )}
          {shown.maintenance.maintenance?.length ? (
            <>
              <h2>Maintenance</h2>
              <MaintenanceTable windows={shown.maintenance.maintenance} done={readAgain} />
              <h2>All nodes</h2>
            </>
          ) : null}
          <table class="wide" tabIndex={0}>
            <Heads of={["node", "zone", "rack", "cpu", "memory", "pods", "other", "closed"]} />
            <tbody>
              {shown.nodes.map((node) => (
                <NodeLine key={node.name} node={node} chosen={choice} />
              ))}
            </tbody>
          </table>
        </>
      )}
      {more.value !== "" && <p class="problem" role="alert">{more.value}</p>}
      {shown && shown.token !== "" && (
        <p>
          <button onClick={() => void showMore()}>Show the next {kPage}</button>
        </p>
      )}
      {asks.value && (
        <DrainQuestion
          nodes={[...chosen.value].sort()}
          close={() => (asks.value = false)}
          done={() => {
            chosen.value = new Set();
            readAgain();
          }}
        />
      )}
    </section>
  );
}
