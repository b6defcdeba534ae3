// What a page says when it has nothing to show: that it loads, that there is
// nothing, or what went wrong; always with what to do next.
import type { ComponentChildren } from "preact";

// `whole`: it is all that the page has, so its title is the page's.
export function Empty({ title, whole, children }: { title: string; whole?: boolean; children: ComponentChildren }) {
  return (
    <div class="notice">
      {whole ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

export function Problem({ what, again }: { what: string; again: () => void }) {
  return (
    <div class="notice problem" role="alert">
      <h2>This did not work</h2>
      <p>{what}</p>
      <button onClick={again}>Try again</button>
    </div>
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}
