// What a node has inside, as a tree, and which group holds which part of it. The
// short form of a structure and JGF are read (docs/structures.md).
import type { NodeGroup } from "../messages/nodes";

export interface Part {
  name: string; // "core3"
  path: string; // "socket0/core3"
  parts: Part[];
}

const kMost = 2048; // parts that are drawn
const kDomains: [string, string][] = [["sockets", "socket"], ["islands", "island"], ["numa", "numa"]];

// "sockets: 2, cores: 64": the fewer the further out, and all divide equally.
function pathsOfCounts(text: string): string[] {
  const counts = new Map([["sockets", 1], ...[...text.matchAll(/(\w+)\s*:\s*(\d+)/g)].map((each): [string, number] => [each[1]!, Number(each[2])])]);
  const of = (word: string) => counts.get(word) ?? 0;
  const under = (above: string[], name: string, count: number) => {
    const share = count / above.length;
    return above.flatMap((path, place) => Array.from({ length: share }, (_, i) => `${path}${name}${place * share + i}/`));
  };
  const levels: string[][] = [[""]];
  for (const [word, name] of kDomains.filter(([word]) => of(word)).sort(([a], [b]) => of(a) - of(b))) levels.push(under(levels.at(-1)!, name, of(word)));
  // Devices are in the innermost domains over which they divide.
  const devices = (name: string, count: number) => under(levels.findLast((level) => count % level.length === 0)!, name, count);
  return [...under(levels.at(-1)!, "core", of("cores")), ...devices("gpu", of("gpus")), ...devices("nic", of("nics"))];
}

function pathsOfJgf(text: string): string[] {
  const { graph } = JSON.parse(text) as { graph: { nodes: { metadata: { type: string; paths: { containment: string } } }[] } };
  const root = graph.nodes.find(({ metadata }) => metadata.type === "node")?.metadata.paths.containment;
  if (root === undefined) return [];
  return graph.nodes
    .filter(({ metadata: { type, paths } }) => type !== "memory" && paths.containment.startsWith(`${root}/`))
    .map(({ metadata }) => metadata.paths.containment.slice(root.length + 1) + "/");
}

function treeOf(paths: string[]): Part[] {
  const top: Part[] = [];
  const known = new Map<string, Part>();
  for (const path of paths) {
    let above = top;
    let at = "";
    for (const name of path.split("/").filter(Boolean)) {
      at += (at && "/") + name;
      let part = known.get(at);
      if (!part) known.set(at, (part = { name, path: at, parts: [] })), above.push(part);
      above = part.parts;
    }
  }
  return top;
}

// Null if it is in another form, or too large.
export function interiorOf(structure: string): Part[] | null {
  const text = structure.trim();
  if (text === "" || text.startsWith("<")) return null;
  try {
    const paths = text.startsWith("{") ? pathsOfJgf(text) : pathsOfCounts(text);
    return paths.length > 0 && paths.length <= kMost ? treeOf(paths) : null;
  } catch {
    return null;
  }
}

// "core[0-1,7]" as core0, core1 and core7.
function namesIn(word: string): string[] {
  const [, name = "", list] = /^(.*?)(?:\[(.*)\])?$/.exec(word)!;
  if (list === undefined) return [name];
  return list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, i) => `${name}${first! + i}`);
  });
}

// The running groups that hold parts, by the path of the part; a path that ends
// in '/' is a domain with all that is in it.
export function holdersOf(groups: NodeGroup[]): Map<string, NodeGroup> {
  const holders = new Map<string, NodeGroup>();
  for (const group of groups) {
    if (group.kind !== "TIMELINE_KIND_RUNNING") continue;
    for (const word of (group.inside ?? []).flatMap((text) => text.split(" "))) {
      const slash = word.lastIndexOf("/") + 1;
      for (const name of namesIn(word.slice(slash))) holders.set(word.slice(0, slash) + name, group);
    }
  }
  return holders;
}
