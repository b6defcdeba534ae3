// Filters of a page, which are in its address.
import { useSignal } from "@preact/signals";
import { route, setQuery } from "./route";

// A text of the address. What one types stays as it is when the page is drawn anew;
// Enter, or leaving the field, takes it over.
export function AddressText({ name, hint, isLong, isReplaced }: { name: string; hint: string; isLong?: boolean; isReplaced?: boolean }) {
  const typed = useSignal<string | null>(null);
  return (
    <input
      type="search"
      class={isLong ? "long" : undefined}
      value={typed.value ?? route.value.query.get(name) ?? ""}
      placeholder={hint}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onBlur={() => (typed.value = null)}
      onChange={(event) => {
        typed.value = null;
        setQuery(name, event.currentTarget.value.trim(), isReplaced);
      }}
    />
  );
}

export function TextFilter({ name, words, hint }: { name: string; words?: string; hint?: string }) {
  return (
    <label>
      {words ?? name}
      <AddressText name={name} hint={hint ?? "all"} />
    </label>
  );
}

export function ChoiceFilter({ name, words, options }: { name: string; words?: string; options: [string, string][] }) {
  return (
    <label>
      {words ?? name}
      <select value={route.value.query.get(name) ?? ""} onChange={(event) => setQuery(name, event.currentTarget.value)}>
        {options.map(([value, text]) => (
          <option value={value}>{text}</option>
        ))}
      </select>
    </label>
  );
}
