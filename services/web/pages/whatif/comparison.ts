// Two simulations of the same groups, compared: who starts earlier, who later.
import type { SimulatedGroup, SimulateResponse } from "../messages/simulation";

export interface Compared {
  name: string;
  now: number | null; // ms; null: it does not start
  then: number | null;
  isNew: boolean; // it is only in the change
}

export type Verdict = "new" | "earlier" | "later" | "unchanged";

function startOf(group: SimulatedGroup | undefined): number | null {
  return group?.startsAt ? Date.parse(group.startsAt) : null;
}

export function verdictOf({ now, then, isNew }: Compared): Verdict {
  if (isNew) return "new";
  if (now === then) return "unchanged";
  if (now === null) return "earlier";
  return then === null || then > now ? "later" : "earlier";
}

// In milliseconds; Infinity if it starts in one of them alone.
export function differenceOf({ now, then }: Compared): number {
  if (now === then) return 0;
  return now === null || then === null ? Infinity : Math.abs(then - now);
}

const kOrder: Verdict[] = ["new", "later", "earlier", "unchanged"];

// New groups first, then the later and the earlier ones by how much.
export function compare({ groups = [], unchanged = [] }: SimulateResponse): Compared[] {
  const before = new Map(unchanged.map((group) => [group.name, group]));
  const all = groups.map((group): Compared => {
    const own = before.get(group.name);
    return { name: group.name, now: startOf(own), then: startOf(group), isNew: !own };
  });
  return all.sort(
    (a, b) =>
      kOrder.indexOf(verdictOf(a)) - kOrder.indexOf(verdictOf(b)) ||
      (differenceOf(a) === differenceOf(b) ? 0 : differenceOf(b) - differenceOf(a)) ||
      (a.name < b.name ? -1 : 1),
  );
}
