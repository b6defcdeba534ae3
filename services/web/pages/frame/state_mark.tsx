// A group's state in a word, with a colour of its kind.
import type { Group } from "../messages/group";

const kinds: Record<string, string> = {
  GROUP_STATE_PROVISIONAL: "filling",
  GROUP_STATE_REFUSED: "bad",
  GROUP_STATE_PENDING: "waiting",
  GROUP_STATE_UNSATISFIABLE: "bad",
  GROUP_STATE_ALLOCATED: "running",
  GROUP_STATE_BOUND: "running",
  GROUP_STATE_FINISHED: "over",
};

export function StateMark({ group }: { group: Group }) {
  const kind = kinds[group.state ?? ""] ?? "waiting";
  return <span class={`state ${kind}`}>{group.shownState || "unknown"}</span>;
}
