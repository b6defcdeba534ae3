// Rows as a file of comma-separated values (RFC 4180), which the browser saves.
// A text that a spreadsheet would take for a formula gets a quote before it.

function field(value: string | number | undefined): string {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csvOf(heads: string[], rows: (string | number | undefined)[][]): string {
  return [heads, ...rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}

export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
