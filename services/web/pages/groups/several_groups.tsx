// What can be done with the chosen groups at once. The question names them; each
// is hit by its id, so no later group of its name is.
import { useSignal, type Signal } from "@preact/signals";
import { call } from "../frame/calls";
import { Question } from "../frame/question";
import { mayChange } from "../frame/session";
import type { ChangeGroupsResponse, Group } from "../messages/group";

const kNamed = 10;

export type Chosen = Map<string, Group>; // by id

const kActions: { action: string; verb: string; means: string; hasReason: boolean }[] = [
  { action: "GROUP_ACTION_HOLD", verb: "Hold", means: "They will not start until they are released.", hasReason: true },
  { action: "GROUP_ACTION_RELEASE", verb: "Release", means: "They may start again.", hasReason: false },
  { action: "GROUP_ACTION_SET_PRIORITY", verb: "Set priority", means: "Groups of a higher priority go first.", hasReason: true },
  { action: "GROUP_ACTION_CANCEL", verb: "Cancel", means: "Their pods are deleted, and they cannot be brought back.", hasReason: true },
];

export function nameOf(group: Group): string {
  return `${group.namespace}/${group.name}`;
}

export function SeveralGroups({ chosen, done }: { chosen: Signal<Chosen>; done: () => void }) {
  // The groups stay those of the question, whatever is chosen meanwhile.
  const asked = useSignal<((typeof kActions)[number] & { groups: Group[] }) | null>(null);
  const priority = useSignal("0");
  const groups = [...chosen.value.values()];
  if (groups.length === 0) return null;
  const wordsFor = (some: Group[]) => (some.length === 1 ? nameOf(some[0]!) : `${some.length} groups`);
  const run = async (reason: string) => {
    const { action, groups } = asked.value!;
    const answer = await call<ChangeGroupsResponse>("ChangeGroups", {
      action,
      ids: groups.map((each) => each.id),
      reason,
      ...(action === "GROUP_ACTION_SET_PRIORITY" ? { priority: Number(priority.value) } : {}),
    });
    const left: Chosen = new Map();
    const faults: string[] = [];
    for (const each of answer.groups ?? []) {
      if (each.done) continue;
      const group = groups.find((one) => one.id === each.id)!;
      left.set(each.id, group);
      faults.push(`${nameOf(group)}: ${each.why}`);
    }
    chosen.value = left;
    done();
    if (faults.length > 0)
      throw new Error(`${groups.length - faults.length} of ${groups.length} are changed. ${faults.slice(0, kNamed).join("; ")}`);
  };
  const may = groups.every((each) => mayChange(each.namespace));
  return (
    <div class="bar chosen" role="group" aria-label="Chosen groups">
      {wordsFor(groups)} chosen:{" "}
      {may ? kActions.map((each) => <button onClick={() => (asked.value = { ...each, groups })}>{each.verb}…</button>) : "you may not change all of them "}
      <button onClick={() => (chosen.value = new Map())}>Choose none</button>
      {asked.value && (
        <Question
          title={`${asked.value.verb}: ${wordsFor(asked.value.groups)}?`}
          verb={asked.value.verb}
          hasReason={asked.value.hasReason}
          run={run}
          close={() => (asked.value = null)}
        >
          <p>{asked.value.means}</p>
          <ul class="named">
            {asked.value.groups.slice(0, kNamed).map((each) => (
              <li>{nameOf(each)}</li>
            ))}
            {asked.value.groups.length > kNamed && <li>and {asked.value.groups.length - kNamed} more</li>}
          </ul>
          {asked.value.action === "GROUP_ACTION_SET_PRIORITY" && (
            <label>
              Priority
              <input type="number" required step="1" value={priority} onInput={(event) => (priority.value = event.currentTarget.value)} />
            </label>
          )}
        </Question>
      )}
    </div>
  );
}
