// Filters of a page, which are in its address.
import { route, setQuery } from "./route";

export function TextFilter({ name, words, hint }: { name: string; words?: string; hint?: string }) {
  const label = words ?? name;
  return (
    <label>
      {label}
      <input
        type="search"
        value={route.value.query.get(name) ?? ""}
        placeholder={hint ?? "all"}
        onChange={(event) => setQuery(name, event.currentTarget.value.trim())}
      />
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
