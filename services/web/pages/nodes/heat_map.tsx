// A square for each node, by zone and rack: the fuller, the darker. The table of
// nodes has the same as text.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { link, route, setQuery } from "../frame/route";
import type { GetNodeMapResponse } from "../messages/nodes";

const kLine = 18; // of a name
const kNames = 110;
const kClosures = ["", "in maintenance", "accepts no pods"];

interface Cell {
  node: number;
  x: number;
  y: number;
}
interface Plan {
  cells: Cell[];
  names: { text: string; x: number; y: number }[];
  size: number;
  height: number;
}

// The nodes of each rack, by zone and rack; those without come last.
function racksOf(map: GetNodeMapResponse): { zone: string; rack: string; nodes: number[] }[] {
  const found = new Map<string, { zone: string; rack: string; nodes: number[]; order: [number, number] }>();
  const last = Number.MAX_SAFE_INTEGER;
  (map.nodes ?? []).forEach((_, node) => {
    const zone = map.zonePlaces?.[node] ?? -1;
    const rack = map.rackPlaces?.[node] ?? -1;
    let own = found.get(`${zone} ${rack}`);
    if (!own) {
      own = { zone: map.zones?.[zone] ?? "", rack: map.racks?.[rack] ?? "", nodes: [], order: [zone < 0 ? last : zone, rack < 0 ? last : rack] };
      found.set(`${zone} ${rack}`, own);
    }
    own.nodes.push(node);
  });
  return [...found.values()].sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
}

function planOf(map: GetNodeMapResponse, width: number): Plan {
  const count = map.nodes?.length ?? 0;
  const size = count > 4000 ? 10 : count > 800 ? 14 : 22;
  const plan: Plan = { cells: [], names: [], size, height: 0 };
  const columns = Math.max(1, Math.floor((width - kNames) / size));
  let y = 0;
  let zone: string | null = null;
  for (const { zone: own, rack, nodes } of racksOf(map)) {
    if (own !== zone && own !== "") {
      plan.names.push({ text: `zone ${own}`, x: 0, y: y + 13 });
      y += kLine;
    }
    zone = own;
    if (rack) plan.names.push({ text: rack, x: 8, y: y + 13 });
    nodes.forEach((node, i) => plan.cells.push({ node, x: kNames + (i % columns) * size, y: y + Math.floor(i / columns) * size }));
    y += Math.max(kLine, Math.ceil(nodes.length / columns) * size) + 4;
  }
  plan.height = Math.max(y, kLine);
  return plan;
}

function draw(canvas: HTMLCanvasElement, map: GetNodeMapResponse, plan: Plan, used: number[], pointed: number): void {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(plan.height * scale);
  const context = canvas.getContext("2d")!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "12px system-ui, sans-serif";
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const [text, full, none, bad, now] = ["text", "link", "panel", "bad", "now"].map(colour) as [string, string, string, string, string];
  const inner = plan.size - 2;
  for (const { node, x, y } of plan.cells) {
    context.globalAlpha = 1;
    context.fillStyle = none;
    context.fillRect(x, y, inner, inner);
    const share = used[node]!;
    if (share > 0) {
      context.globalAlpha = 0.15 + (0.85 * Math.min(share, 1000)) / 1000;
      context.fillStyle = full;
      context.fillRect(x, y, inner, inner);
    }
    context.globalAlpha = 1;
    if (map.closures?.[node] || node === pointed) {
      context.strokeStyle = node === pointed ? now : bad;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, inner - 2, inner - 2);
    }
  }
  context.fillStyle = text;
  for (const each of plan.names) context.fillText(each.text, each.x, each.y, kNames - each.x - 6);
}

export function HeatMap({ map }: { map: GetNodeMapResponse }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const plan = useRef<Plan | null>(null);
  const pointed = useSignal(-1);
  const resources = map.resources ?? [];
  const chosen = route.value.query.get("resource") || "cpu";
  const used = resources.find((each) => each.name === chosen)?.used ?? [];
  const shown = useRef({ map, used });
  shown.current = { map, used };
  const redraw = () => {
    if (!canvas.current) return;
    plan.current = planOf(shown.current.map, canvas.current.clientWidth);
    canvas.current.style.height = `${plan.current.height}px`;
    draw(canvas.current, shown.current.map, plan.current, shown.current.used, pointed.value);
  };
  useEffect(redraw, [map, chosen, pointed.value]);
  useEffect(() => {
    const size = new ResizeObserver(redraw);
    size.observe(canvas.current!);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    return () => {
      size.disconnect();
      themes.disconnect();
      dark.removeEventListener("change", redraw);
    };
  }, []);
  const at = (event: MouseEvent) => {
    const { cells, size } = plan.current!;
    return cells.find(({ x, y }) => event.offsetX >= x && event.offsetX < x + size && event.offsetY >= y && event.offsetY < y + size)?.node ?? -1;
  };
  const tip = useComputed(() => {
    const { map: last, used: shares } = shown.current;
    const node = pointed.value;
    if (node < 0) return "Point at a node to read it; a click opens it.";
    const share = shares[node]! < 0 ? "none" : `${(shares[node]! / 10).toFixed(0)} %`;
    const closed = kClosures[last.closures?.[node] ?? 0];
    return `${last.nodes![node]}: ${share} of ${chosen} in use${closed ? `, ${closed}` : ""}`;
  });
  return (
    <div class="heat">
      <div class="filters">
        <label>
          resource
          <select value={chosen} onChange={(event) => setQuery("resource", event.currentTarget.value)}>
            {resources.map((each) => (
              <option value={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <span class="scale" aria-hidden="true">
          free <i /> full
        </span>
        <span class="tip">{tip}</span>
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`How much ${chosen} is in use on ${map.nodes?.length ?? 0} nodes; the table below has the same`}
        onMouseMove={(event) => (pointed.value = at(event))}
        onMouseLeave={() => (pointed.value = -1)}
        onClick={(event) => {
          const node = at(event);
          if (node >= 0) location.hash = link(["nodes", map.nodes![node]!]);
        }}
      />
    </div>
  );
}
