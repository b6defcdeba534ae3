// Announces maintenance of nodes, and takes it back. Each asks first and names
// what it will hit, as the server computes it (a dry run).
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { Question } from "../frame/question";
import type { DrainNodesResponse, Maintenance } from "../messages/nodes";

const kNamed = 12;

function some(names: string[], count: number): string {
  const shown = names.slice(0, kNamed).join(", ");
  return count > kNamed ? `${shown} and ${count - kNamed} more` : shown;
}

export function nodesText({ nodes, labels }: Maintenance): string {
  if (nodes?.length) return some(nodes, nodes.length);
  return (
    Object.entries(labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(", ") || "all nodes"
  );
}

function Hit({ hit }: { hit: DrainNodesResponse }) {
  const nodes = Number(hit.maintenance.knownNodes ?? 0);
  const groups = Number(hit.groupCount ?? 0);
  return (
    <p class="hit">
      It closes {nodes === 1 ? "1 node" : `${nodes} nodes`} ({nodesText(hit.maintenance)}).{" "}
      {groups === 0
        ? "No group there is in the way."
        : `${groups === 1 ? "1 group" : `${groups} groups`} need not have ended by then and will be left alone: ${some(hit.groups ?? [], groups)}.`}
    </p>
  );
}

// Of these nodes, or of those that the user names if there are none.
export function DrainQuestion({ nodes, close, done }: { nodes: string[]; close: () => void; done: () => void }) {
  const words = useSignal(nodes.join(" "));
  const from = useSignal("");
  const until = useSignal("");
  const hit = useSignal<DrainNodesResponse | null>(null);
  const problem = useSignal("");
  const request = (reason: string, dryRun: boolean) => ({
    nodes: words.value.split(/[\s,]+/).filter(Boolean),
    from: from.value.trim(),
    until: until.value.trim(),
    reason,
    dryRun,
  });
  useEffect(() => {
    hit.value = null;
    problem.value = "";
    if (words.value.trim() === "") return;
    let isOver = false;
    const timer = setTimeout(async () => {
      try {
        const answer = await call<DrainNodesResponse>("DrainNodes", request("", true));
        if (!isOver) hit.value = answer;
      } catch (error) {
        if (!isOver) problem.value = wordsOf(error);
      }
    }, 200);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [words.value, from.value, until.value]);
  const field = (label: string, value: typeof words, placeholder: string) => (
    <label>
      {label}
      <input value={value} placeholder={placeholder} onInput={(event) => (value.value = event.currentTarget.value)} />
    </label>
  );
  return (
    <Question
      title={nodes.length === 1 ? `Drain ${nodes[0]}?` : nodes.length > 1 ? `Drain ${nodes.length} nodes?` : "Announce maintenance?"}
      verb="Drain"
      hasReason
      run={async (reason) => void (await call("DrainNodes", request(reason, false)))}
      close={close}
      done={done}
    >
      <p>No group starts there that would not have ended when it begins.</p>
      {field("Nodes by name, or a label of theirs", words, "n1 n2, or rack=r7")}
      {field("From", from, "now; or +2h, or 2026-01-31T12:00:00Z")}
      {field("Until", until, "until it is undone; or +4h")}
      {hit.value && <Hit hit={hit.value} />}
      {problem.value && <p class="problem">{problem.value}</p>}
    </Question>
  );
}

export function UndrainQuestion({ window, close, done }: { window: Maintenance; close: () => void; done: () => void }) {
  return (
    <Question
      title={`Take maintenance ${window.id} back?`}
      verb="Take back"
      run={async () => void (await call("UndrainNodes", { id: window.id }))}
      close={close}
      done={done}
    >
      <p>
        Groups may start again on {nodesText(window)}
        {window.reason ? `, which ${(window.nodes?.length ?? 2) === 1 ? "was" : "were"} to be closed for: ${window.reason}` : ""}.
      </p>
    </Question>
  );
}
