// The inside of a node as a picture: its domains as boxes, its cores and devices
// as squares in the colours of the groups that hold them.
import type { NodeGroup } from "../messages/nodes";
import { holdersOf, interiorOf, type Part } from "./interior";

function colourOf(place: number): string {
  return `hsl(${(210 + place * 67) % 360} 65% 45%)`;
}

export function InteriorPicture({ structure, groups }: { structure: string; groups: NodeGroup[] }) {
  const parts = interiorOf(structure);
  if (!parts) return null;
  const holders = holdersOf(groups);
  const inside = groups.filter((each) => [...holders.values()].includes(each));
  let count = 0;
  let held = 0;
  const draw = (part: Part, above: NodeGroup | undefined) => {
    const holder = holders.get(part.path) ?? above ?? holders.get(part.path + "/");
    if (part.parts.length > 0)
      return (
        <div class="domain">
          {part.name}
          <div>{part.parts.map((each): preact.JSX.Element => draw(each, holder))}</div>
        </div>
      );
    ++count;
    if (holder) ++held;
    const words = `${part.name}: ${holder ? `${holder.namespace}/${holder.name}` : "free"}`;
    return (
      <i class={part.name.startsWith("core") ? "part" : "part device"} title={words} style={holder ? { background: colourOf(inside.indexOf(holder)) } : {}}>
        {part.name.replace(/^\D+/, "")}
      </i>
    );
  };
  const boxes = parts.map((part) => draw(part, undefined));
  return (
    <>
      <div class="interior" role="img" aria-label={`The inside of the node: ${held} of ${count} cores and devices are held by groups; the table of groups says by which`}>
        {boxes}
      </div>
      <p class="tip">
        {inside.map((group, place) => (
          <span>
            <i class="part" style={{ background: colourOf(place) }} /> {group.namespace}/{group.name}{" "}
          </span>
        ))}
        {held} of {count} held
      </p>
    </>
  );
}
