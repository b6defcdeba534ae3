// Hold, release and cancel: each asks first, names what it will hit, and takes a
// reason. What the caller may not do is not offered. What was typed stays if it
// fails.
import { useSignal } from "@preact/signals";
import { call } from "../frame/calls";
import { Question } from "../frame/question";
import type { Group } from "../messages/group";
import { Priority } from "./priority";
import { mayChange } from "../frame/session";

interface Action {
  method: string;
  verb: string;
  means: string;
  hasReason: boolean;
}

const kHold: Action = { method: "HoldGroup", verb: "Hold", means: "It will not start until it is released.", hasReason: true };
const kRelease: Action = { method: "ReleaseGroup", verb: "Release", means: "It may start again.", hasReason: false };
const kCancel: Action = { method: "CancelGroup", verb: "Cancel", means: "Its pods are deleted, and it cannot be brought back.", hasReason: true };

function actionsOf(group: Group): Action[] {
  if (!mayChange(group.namespace) || group.state === "GROUP_STATE_FINISHED") return [];
  if (group.phase === "GROUP_PHASE_HELD") return [kRelease, kCancel];
  const waits = group.state === "GROUP_STATE_PENDING" || group.state === "GROUP_STATE_PROVISIONAL";
  return waits ? [kHold, kCancel] : [kCancel];
}

export function ActionBar({ group, done }: { group: Group; done: () => void }) {
  const asked = useSignal<Action | null>(null);
  const actions = actionsOf(group);
  const run = async (action: Action, reason: string) => {
    const { namespace, name } = group;
    await call(action.method, { namespace, name, ...(action.hasReason ? { reason } : {}) });
  };
  if (actions.length === 0) return null;
  return (
    <p class="buttons">
      {actions.map((each) => (
        <button onClick={() => (asked.value = each)}>{each.verb}…</button>
      ))}
      <Priority group={group} done={done} />
      {asked.value && (
        <Question
          title={`${asked.value.verb} ${group.namespace}/${group.name}?`}
          verb={asked.value.verb}
          hasReason={asked.value.hasReason}
          run={(reason) => run(asked.value!, reason)}
          close={() => (asked.value = null)}
          done={done}
        >
          <p>
            {asked.value.means} It has {group.size ?? 0} {group.size === 1 ? "pod" : "pods"}.
          </p>
        </Question>
      )}
    </p>
  );
}
