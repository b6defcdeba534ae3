// A dialog for the settings of a queue or an account. It shows the difference
// first, as the server sees it, and then changes them; what was typed stays if
// the server refuses it.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ChangesResponse, SettingChange } from "../messages/account";
import { call, wordsOf } from "./calls";
import { Heads } from "./heads";

interface Edited {
  title: string; // "Set queue default"
  method: "SetQueue" | "SetAccount";
  name: string;
  settings: Record<string, string>;
  known: string[]; // the settings, also those without a value
  close: () => void;
  done: () => void;
}

export function Difference({ changes }: { changes: SettingChange[] }) {
  return (
    <table>
      <caption>What will be different</caption>
      <Heads of={["setting", "now", "then"]} />
      <tbody>
        {changes.map((each) => (
          <tr>
            <th scope="row">{each.name}</th>
            <td>{each.before || "none"}</td>
            <td>{each.after || "none"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SettingsDialog({ title, method, name, settings, known, close, done }: Edited) {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal<Record<string, string>>({});
  const changes = useSignal<SettingChange[] | null>(null);
  const reason = useSignal("");
  const problem = useSignal("");
  // Before it is painted, so that it is never there and not yet open.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run = async (dryRun: boolean) => {
    const given = Object.entries(typed.value).filter(([key, value]) => value !== (settings[key] ?? ""));
    problem.value = "";
    if (given.length === 0) {
      problem.value = "Nothing is different yet.";
      return;
    }
    try {
      const answer = await call<ChangesResponse>(method, {
        name,
        settings: Object.fromEntries(given),
        dryRun,
        reason: reason.value,
      });
      if (dryRun) {
        changes.value = answer.changes ?? [];
      } else {
        close();
        done();
      }
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  const type = (key: string, value: string) => {
    typed.value = { ...typed.value, [key]: value };
    changes.value = null;
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="settings">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(changes.value === null);
        }}
      >
        <h2 id="settings">{title}</h2>
        {known.map((key) => (
          <label>
            {key}
            <input
              value={typed.value[key] ?? settings[key] ?? ""}
              onInput={(event) => type(key, event.currentTarget.value)}
            />
          </label>
        ))}
        {changes.value && <Difference changes={changes.value} />}
        {changes.value && (
          <label>
            Reason, for others to read
            <input value={reason} onInput={(event) => (reason.value = event.currentTarget.value)} />
          </label>
        )}
        {problem.value && (
          <p role="alert" class="problem">
            {problem.value}
          </p>
        )}
        <p class="buttons">
          <button type="submit" class="main">
            {changes.value ? "Change" : "Show the difference"}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Back
          </button>
        </p>
      </form>
    </dialog>
  );
}
