// The queues, as they change: how many groups each has in which state, and its
// settings; pause, resume and set.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import type { ListQueuesResponse, Queue } from "../messages/cluster";
import { Loading, Problem } from "../frame/notice";
import { Question } from "../frame/question";
import { link } from "../frame/route";
import { mayOperate } from "../frame/session";
import { SettingsDialog } from "../frame/settings_dialog";
import { Age } from "../frame/times";

const kCounts = ["provisional", "pending", "unsatisfiable", "allocated", "bound"] as const;

function Count({ queue, state }: { queue: Queue; state: (typeof kCounts)[number] }) {
  const count = queue[state] ?? "0";
  if (count === "0") return <>0</>;
  return <a href={link(["groups"], { queue: queue.name, state: `GROUP_STATE_${state.toUpperCase()}` })}>{count}</a>;
}

const kSettings = [
  "queue_policy", "queue_order", "match_policy", "queue_depth", "reservation_depth", "node_selector", "preemption",
  "exclusive", "topology", "assumed_duration", "deadline_action", "bind_timeout", "replacement_hold", "ageing",
  "half_life",
];

function waitingIn(queue: Queue): string {
  const count = Number(queue.pending ?? 0) + Number(queue.provisional ?? 0);
  return `${count} ${count === 1 ? "group waits" : "groups wait"}`;
}

// What may be done with a queue, for operators.
function QueueActions({ queue, done }: { queue: Queue; done: () => void }) {
  const asked = useSignal<"" | "switch" | "set">("");
  const verb = queue.paused ? "Resume" : "Pause";
  const means = queue.paused
    ? `Its groups may start again; ${waitingIn(queue)} in it.`
    : `None of its groups starts until it is resumed; ${waitingIn(queue)} in it. What runs goes on.`;
  const close = () => (asked.value = "");
  return (
    <span class="buttons">
      <button onClick={() => (asked.value = "switch")} aria-label={`${verb} ${queue.name}…`}>
        {verb}…
      </button>
      <button onClick={() => (asked.value = "set")} aria-label={`Set ${queue.name}…`}>
        Set…
      </button>
      {asked.value === "switch" && (
        <Question
          title={`${verb} queue ${queue.name}?`}
          verb={verb}
          hasReason
          run={async (reason) => {
            const settings = { paused: queue.paused ? "false" : "true" };
            await call("SetQueue", { name: queue.name, settings, reason });
          }}
          close={close}
          done={done}
        >
          <p>{means}</p>
        </Question>
      )}
      {asked.value === "set" && (
        <SettingsDialog
          title={`Set queue ${queue.name}`}
          method="SetQueue"
          name={queue.name}
          settings={queue.settings ?? {}}
          known={kSettings}
          close={close}
          done={done}
        />
      )}
    </span>
  );
}

export function QueuesPage() {
  const { data: queues, problem, readAgain } = useLive<Queue[]>(
    async () => (await call<ListQueuesResponse>("ListQueues", {})).queues ?? [],
    {},
    "",
  );
  useEffect(() => {
    document.title = "Queues – Fluxnetes";
  }, []);

  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Queues</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!queues.value && problem.value === "" && <Loading />}
      {queues.value && (
        <table class="wide" tabIndex={0} aria-label="Queues">
          <Heads of={["queue", "state", ...kCounts, "oldest", "settings", ...(mayOperate() ? ["actions"] : [])]} />
          <tbody>
            {queues.value.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">
                  <a href={link(["queues", queue.name])}>{queue.name}</a>
                </th>
                <td>{queue.paused ? "paused" : "open"}</td>
                {kCounts.map((state) => (
                  <td class="number">
                    <Count queue={queue} state={state} />
                  </td>
                ))}
                <td>
                  <Age at={queue.oldestPending} />
                </td>
                <td>
                  <details>
                    <summary>{queue.settings?.["queue_policy"] ?? "settings"}</summary>
                    <dl class="facts">
                      {Object.entries(queue.settings ?? {})
                        .sort(([a], [b]) => (a < b ? -1 : 1))
                        .map(([name, value]) => (
                          <>
                            <dt>{name}</dt>
                            <dd>{value}</dd>
                          </>
                        ))}
                    </dl>
                  </details>
                </td>
                {mayOperate() && (
                  <td>
                    <QueueActions queue={queue} done={readAgain} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
