// Submits the manifests of a what-if. It asks first and names the objects that
// will be made, as the server reads them (a dry run).
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { Question } from "../frame/question";
import type { SubmitResponse } from "../messages/simulation";

export function SubmitQuestion({ manifests, namespace, close, done }: { manifests: string; namespace: string; close: () => void; done: (answer: SubmitResponse) => void }) {
  const planned = useSignal<SubmitResponse | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    call<SubmitResponse>("Submit", { manifests, namespace, dryRun: true }).then(
      (answer) => (planned.value = answer),
      (error: unknown) => (problem.value = wordsOf(error)),
    );
  }, []);
  const objects = planned.value?.objects ?? [];
  return (
    <Question
      title={planned.value ? `Submit ${objects.length === 1 ? "1 object" : `${objects.length} objects`}?` : "Submit?"}
      verb="Submit"
      run={async () => {
        const answer = await call<SubmitResponse>("Submit", { manifests, namespace });
        const refused = (answer.objects ?? []).filter((each) => each.error);
        if (refused.length > 0) throw new Error(refused.map((each) => `${each.place}: ${each.error}`).join("; "));
        done(answer);
      }}
      close={close}
    >
      <ul>
        {objects.map((each) => (
          <li>
            {each.namespace}/{each.name}
            {each.warning && <span class="problem"> {each.warning}</span>}
            {each.error && <span class="problem"> {each.error}</span>}
          </li>
        ))}
      </ul>
      {problem.value && <p class="problem">{problem.value}</p>}
    </Question>
  );
}
