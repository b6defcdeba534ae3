// Maintenance that is announced or has begun, each with what takes it back.
import { useSignal } from "@preact/signals";
import { Heads } from "../frame/heads";
import { Time, now } from "../frame/times";
import type { Maintenance } from "../messages/nodes";
import { mayOperate } from "../frame/session";
import { nodesText, UndrainQuestion } from "./drain";

export function MaintenanceTable({ windows, done }: { windows: Maintenance[]; done: () => void }) {
  const asked = useSignal<Maintenance | null>(null);
  return (
    <>
      <table class="wide" tabIndex={0}>
        <Heads of={["id", "state", "nodes", "from", "until", "groups in the way", "reason", "actions"]} />
        <tbody>
          {windows.map((window) => (
            <tr key={window.id}>
              <th scope="row">{window.id}</th>
              <td>{Date.parse(window.startsAt) <= now.value ? "begun" : "announced"}</td>
              <td>
                {nodesText(window)} ({window.knownNodes ?? 0} known)
              </td>
              <td>
                <Time at={window.startsAt} />
              </td>
              <td>{window.endsAt ? <Time at={window.endsAt} /> : "it is undone"}</td>
              <td class="number">{window.groupsInTheWay ?? 0}</td>
              <td>{window.reason}</td>
              <td>
                {mayOperate() && (
                  <button onClick={() => (asked.value = window)}>
                    Take back…<span class="hidden"> maintenance {window.id}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked.value && <UndrainQuestion window={asked.value} close={() => (asked.value = null)} done={done} />}
    </>
  );
}
