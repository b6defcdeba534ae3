// The heads of a table's columns. Each has words, also that of buttons: a reader
// who hears the table moves by them.

export function Heads({ of }: { of: string[] }) {
  return (
    <thead>
      <tr>
        {of.map((title) => (
          <th scope="col">{title}</th>
        ))}
      </tr>
    </thead>
  );
}
