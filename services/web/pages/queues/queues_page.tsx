// The queues: how many groups each has in which state, and its settings.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import type { ListQueuesResponse, Queue } from "../messages/cluster";
import { Loading, Problem } from "../frame/notice";
import { link } from "../frame/route";
import { Age } from "../frame/times";

const kCounts = ["provisional", "pending", "unsatisfiable", "allocated", "bound"] as const;

function Count({ queue, state }: { queue: Queue; state: (typeof kCounts)[number] }) {
  const count = queue[state] ?? "0";
  if (count === "0") return <>0</>;
  return <a href={link(["groups"], { queue: queue.name, state: `GROUP_STATE_${state.toUpperCase()}` })}>{count}</a>;
}

export function QueuesPage() {
  const queues = useSignal<Queue[] | null>(null);
  const problem = useSignal("");
  const read = async () => {
    try {
      queues.value = (await call<ListQueuesResponse>("ListQueues", {})).queues ?? [];
      problem.value = "";
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => {
    document.title = "Queues – Fluxnetes";
    void read();
  }, []);

  return (
    <section class="page" aria-labelledby="title">
      <h1 id="title">Queues</h1>
      {problem.value !== "" && <Problem what={problem.value} again={() => void read()} />}
      {!queues.value && problem.value === "" && <Loading />}
      {queues.value && (
        <table class="wide">
          <thead>
            <tr>
              {["queue", "state", ...kCounts, "oldest", "settings"].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.value.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">{queue.name}</th>
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
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
