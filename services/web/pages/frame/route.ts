// What is shown, in the URL behind '#': "#/groups/a/train?id=3". Behind the '#'
// it needs nothing of the server, nor of a proxy that adds a prefix.
import { computed, signal } from "@preact/signals";

export interface Route {
  parts: string[]; // ["groups", "a", "train"]
  query: URLSearchParams;
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, query: new URLSearchParams(query) };
}

export const route = signal<Route>(parse(location.hash));
addEventListener("hashchange", () => (route.value = parse(location.hash)));

export const page = computed(() => route.value.parts[0] ?? "groups");

export function link(parts: string[], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  const text = search.toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

export function groupLink(group: { namespace: string; name: string; id?: string }): string {
  return link(["groups", group.namespace, group.name], { id: group.id ?? "" });
}

// Changes one part of the query; `replace` leaves no step for the back button.
export function setQuery(name: string, value: string, replace = false): void {
  const query = Object.fromEntries(route.value.query);
  query[name] = value;
  const to = link(route.value.parts.length ? route.value.parts : ["groups"], query);
  if (replace) {
    history.replaceState(null, "", to);
    route.value = parse(location.hash);
  } else {
    location.hash = to;
  }
}
