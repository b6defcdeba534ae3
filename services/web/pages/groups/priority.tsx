// Raises or lowers the priority of a group that waits.
import { useSignal } from "@preact/signals";
import { call } from "../frame/calls";
import { Question } from "../frame/question";
import { mayChange } from "../frame/session";
import type { Group } from "../messages/group";

const kWaiting = ["GROUP_STATE_PENDING", "GROUP_STATE_UNSATISFIABLE", "GROUP_STATE_PROVISIONAL"];

export function Priority({ group, done }: { group: Group; done: () => void }) {
  const asked = useSignal(false);
  const value = useSignal("");
  if (!mayChange(group.namespace) || !kWaiting.includes(group.state ?? "")) return null;
  const run = async (reason: string) => {
    const { namespace, name } = group;
    const priority = value.value === "" ? {} : { priority: Number(value.value) };
    await call("SetPriority", { namespace, name, reason, ...priority });
  };
  const ask = () => {
    value.value = String(group.priority ?? "");
    asked.value = true;
  };
  return (
    <>
      <button onClick={ask}>Priority…</button>
      {asked.value && (
        <Question
          title={`Set the priority of ${group.namespace}/${group.name}?`}
          verb="Set"
          hasReason
          run={run}
          close={() => (asked.value = false)}
          done={done}
        >
          <p>
            Groups of a higher priority go first. It is {group.priority ?? "that of its pods"} now
            {group.priorityIsSet ? ", set by somebody" : ""}. Leave it empty for that of its pods.
          </p>
          <label>
            Priority
            <input type="number" step="1" min="-2147483648" max="2147483647" value={value} onInput={(event) => (value.value = event.currentTarget.value)} />
          </label>
        </Question>
      )}
    </>
  );
}
