// The scheduler itself: its health, the database, the replicas, what each leads
// and what its loops do; the checks of the doctor when asked for.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, wordsOf } from "../frame/calls";
import { Heads } from "../frame/heads";
import { useLive } from "../frame/live";
import { Loading, Problem } from "../frame/notice";
import { Age, Time } from "../frame/times";
import type { Check, System } from "../messages/system";
import { bytesText } from "../nodes/amounts";
import { LoopsTable } from "./loops_table";

const kWords: Record<string, [string, string]> = {
  CHECK_STATUS_WELL: ["running", "well"],
  CHECK_STATUS_WARNING: ["waiting", "warning"],
  CHECK_STATUS_FAILED: ["bad", "failed"],
  CHECK_STATUS_SKIPPED: ["over", "skipped"],
};

function Checks({ title, checks }: { title: string; checks: Check[] }) {
  return (
    <table class="wide" tabIndex={0} aria-label={title}>
      <Heads of={["check", "outcome", "what", "remedy"]} />
      <tbody>
        {checks.map((check) => {
          const [look, word] = kWords[check.status ?? ""] ?? ["over", "not known"];
          return (
            <tr>
              <th scope="row">{check.name}</th>
              <td class={`state ${look}`}>{word}</td>
              <td>{check.what}</td>
              <td>{check.mend}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

// Live and ready alike look at the loops: what both say is said once.
function eachOnce(checks: Check[]): Check[] {
  const words = checks.map((each) => JSON.stringify(each));
  return checks.filter((_, i) => words.indexOf(words[i]!) === i);
}

function Database({ system }: { system: System }) {
  const database = system.database ?? {};
  const facts: [string, string][] = [
    ["Fluxnetes", system.serverVersion ?? ""],
    ["PostgreSQL", database.version ?? ""],
    ["schema", `${database.schema}, migration ${database.migration}`],
    ["size", bytesText(Number(database.sizeBytes ?? 0))],
    ["connections", `${database.connections} of ${database.maxConnections}`],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

function Replicas({ system }: { system: System }) {
  const ledBy = (id: string) => (system.leaderships ?? []).filter((each) => each.replica === id);
  const leaderless = (system.leaderships ?? []).filter((each) => (each.replica ?? "0") === "0");
  return (
    <>
      <table class="wide" tabIndex={0} aria-label="Replicas">
        <Heads of={["replica", "state", "heartbeat", "since", "leases", "leads"]} />
        <tbody>
          {(system.replicas ?? []).map((replica) => (
            <tr key={replica.id}>
              <th scope="row">{replica.name}</th>
              <td class={replica.alive ? "state running" : "state bad"}>{replica.alive ? "alive" : "dead"}</td>
              <td>
                <Age at={replica.heartbeatAt} /> ago
              </td>
              <td>
                <Time at={replica.startedAt} />
              </td>
              <td class="number">{replica.leases ?? "0"}</td>
              <td>
                {ledBy(replica.id)
                  .map((each) => `${each.name} (term ${each.term})`)
                  .join(", ") || "stands by"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {leaderless.length > 0 && (
        <p class="problem">Nobody leads {leaderless.map((each) => each.name).join(", ")}.</p>
      )}
    </>
  );
}

function Checkup() {
  const checks = useSignal<Check[] | null>(null);
  const running = useSignal(false);
  const problem = useSignal("");
  const run = async () => {
    running.value = true;
    problem.value = "";
    try {
      checks.value = (await call<System>("GetSystem", { checkup: true })).checkup ?? [];
    } catch (error) {
      problem.value = wordsOf(error);
    }
    running.value = false;
  };
  return (
    <>
      <p class="buttons">
        <button onClick={() => void run()} disabled={running.value}>
          Run the checks of fluxnetes doctor
        </button>
        {running.value && <span role="status">They take some seconds…</span>}
      </p>
      {problem.value !== "" && <p class="problem" role="alert">{problem.value}</p>}
      {checks.value && <Checks title="Checkup" checks={checks.value} />}
    </>
  );
}

export function SystemPage() {
  const { data, problem, readAgain } = useLive<System>(() => call<System>("GetSystem", {}), {}, "", 5_000);
  useEffect(() => {
    document.title = "System – Fluxnetes";
  }, []);
  const system = data.value;
  return (
    <section class="page system" aria-labelledby="title">
      <h1 id="title">System</h1>
      {problem.value !== "" && <Problem what={problem.value} again={readAgain} />}
      {!system && problem.value === "" && <Loading />}
      {system && (
        <>
          <h2>Health of this replica</h2>
          <Checks title="Health" checks={eachOnce(system.health ?? [])} />
          <h2>Database</h2>
          <Database system={system} />
          <h2>Replicas</h2>
          <Replicas system={system} />
          <h2>Loops</h2>
          <LoopsTable system={system} />
          <h2>Checkup</h2>
          <Checkup />
        </>
      )}
    </section>
  );
}
