// Hold, release and cancel: each asks first, names what it will hit, and takes a
// reason. What the caller may not do is not offered. What was typed stays if it
// fails.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call, wordsOf } from "./calls";
import type { Group } from "./messages";
import { mayChange } from "./session";

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

function Question({ group, action, close, done }: { group: Group; action: Action; close: () => void; done: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useSignal("");
  const problem = useSignal("");
  useEffect(() => dialog.current?.showModal(), []);
  const run = async (event: Event) => {
    event.preventDefault();
    try {
      const { namespace, name } = group;
      await call(action.method, { namespace, name, ...(action.hasReason ? { reason: reason.value } : {}) });
      close();
      done();
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="question">
      <form onSubmit={run}>
        <h2 id="question">
          {action.verb} {group.namespace}/{group.name}?
        </h2>
        <p>
          {action.means} It has {group.size ?? 0} {group.size === 1 ? "pod" : "pods"}.
        </p>
        {action.hasReason && (
          <label>
            Reason, for others to read
            <input value={reason} onInput={(event) => (reason.value = event.currentTarget.value)} />
          </label>
        )}
        {problem.value && <p role="alert" class="problem">{problem.value}</p>}
        <p class="buttons">
          <button type="submit" class="main">
            {action.verb}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Back
          </button>
        </p>
      </form>
    </dialog>
  );
}

export function ActionBar({ group, done }: { group: Group; done: () => void }) {
  const asked = useSignal<Action | null>(null);
  const actions = actionsOf(group);
  if (actions.length === 0) return null;
  return (
    <p class="buttons">
      {actions.map((each) => (
        <button onClick={() => (asked.value = each)}>{each.verb}…</button>
      ))}
      {asked.value && <Question group={group} action={asked.value} close={() => (asked.value = null)} done={done} />}
    </p>
  );
}
