// The keys of the pages. A key in a field, or with Ctrl, Alt or Meta, is left to
// the browser.
import { signal } from "@preact/signals";

export interface Key {
  keys: string; // "j", or "g t": one after the other
  does: string;
  run: () => void;
}

export const helpOpen = signal(false);
const bound: Key[][] = [];
let first = "";
let firstAt = 0;

// Returns the end of it.
export function bindKeys(keys: Key[]): () => void {
  bound.push(keys);
  return () => bound.splice(bound.indexOf(keys), 1);
}

export function boundKeys(): Key[] {
  return bound.flat();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    (event.target as HTMLElement).blur();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]:not(.help)")) return;
  const sequence = Date.now() - firstAt < 1500 && first ? `${first} ${event.key}` : event.key;
  first = "";
  const found = boundKeys().findLast((each) => each.keys === sequence);
  if (found) {
    event.preventDefault();
    found.run();
  } else if (boundKeys().some((each) => each.keys.startsWith(`${event.key} `))) {
    first = event.key;
    firstAt = Date.now();
  }
});
