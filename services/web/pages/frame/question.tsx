// A dialog that asks before something is changed. It names what will be hit and
// takes a reason; what was typed stays if the change fails.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { wordsOf } from "./calls";

interface Asked {
  title: string; // "Hold default/train?"
  verb: string; // of the button
  hasReason?: boolean;
  children?: ComponentChildren; // what it means; fields of its own
  run: (reason: string) => Promise<void>;
  close: () => void; // done or not
  done?: () => void;
}

export function Question({ title, verb, hasReason, children, run, close, done }: Asked) {
  const dialog = useRef<HTMLDialogElement>(null);
  const reason = useSignal("");
  const problem = useSignal("");
  const running = useSignal(false);
  // Before it is painted, so that it is never there and not yet open.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (running.value) return;
    running.value = true;
    try {
      await run(reason.value);
      close();
      done?.();
    } catch (error) {
      problem.value = wordsOf(error);
    } finally {
      running.value = false;
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="question">
      <form onSubmit={submit}>
        <h2 id="question">{title}</h2>
        {children}
        {hasReason && (
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
          <button type="submit" class="main" disabled={running.value}>
            {verb}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Back
          </button>
        </p>
      </form>
    </dialog>
  );
}
