// The nodes, two hundred at a time: what each offers and how much of it is in
// use, and why one accepts no new pods.
import "./nodes.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import type { Amount, ListNodesResponse, Node } from "../messages/cluster";
import { Empty, Loading, Problem } from "../frame/notice";
import { Time } from "../frame/times";

const kPage = 200;

function numberOf(text: string | undefined): number {
  return Number(text ?? "0");
}

function bytesText(bytes: number): string {
  const units = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${Number(bytes.toFixed(1))} ${units[unit]}`;
}

// "3 of 8", over a bar of the share in use.
function Use({ amount, text }: { amount: Amount | undefined; text: (value: number) => string }) {
  const all = numberOf(amount?.allocatable);
  if (all === 0) return <span class="none">–</span>;
  const used = numberOf(amount?.granted) + numberOf(amount?.foreign);
  return (
    <span class="use">
      <meter min={0} max={all} value={used} aria-hidden="true" />
      {text(used)} of {text(all)}
    </span>
  );
}

function OtherUse({ node }: { node: Node }) {
  const other = Object.entries(node.other ?? {}).filter(([, amount]) => numberOf(amount.allocatable) > 0);
  if (other.length === 0) return <span class="none">–</span>;
  return (
    <>
      {other.map(([name, amount]) => (
        <div>
          {name}: <Use amount={amount} text={String} />
        </div>
      ))}
    </>
  );
}

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

export function NodesPage() {
  const nodes = useSignal<Node[] | null>(null);
  const token = useSignal("");
  const problem = useSignal("");

  const readMore = async () => {
    try {
      const next = await call<ListNodesResponse>("ListNodes", { pageSize: kPage, pageToken: token.value });
      nodes.value = [...(nodes.value ?? []), ...(next.nodes ?? [])];
      token.value = next.nextPageToken ?? "";
      problem.value = "";
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => {
    document.title = "Nodes – Fluxnetes";
    void readMore();
  }, []);

  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Nodes</h1>
      {problem.value !== "" && <Problem what={problem.value} again={() => void readMore()} />}
      {!nodes.value && problem.value === "" && <Loading />}
      {nodes.value?.length === 0 && (
        <Empty title="There are no nodes">
          <p>
            The scheduler has seen none yet; <code>fluxnetes doctor</code> says why.
          </p>
        </Empty>
      )}
      {nodes.value && nodes.value.length > 0 && (
        <table class="wide">
          <thead>
            <tr>
              {["node", "cpu", "memory", "pods", "other", "closed"].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.value.map((node) => (
              <tr key={node.name}>
                <th scope="row">{node.name}</th>
                <td>
                  <Use amount={node.cpuMilli} text={(value) => String(value / 1000)} />
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
            ))}
          </tbody>
        </table>
      )}
      {token.value !== "" && (
        <p>
          <button onClick={() => void readMore()}>Show the next {kPage}</button>
        </p>
      )}
    </section>
  );
}
