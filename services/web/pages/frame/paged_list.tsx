// What a page shows of a list that is read page by page: its rows in a table, or
// why there are none; more of them; and those that were read as a file.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { csvOf, save } from "./csv";
import { Loading, Problem } from "./notice";
import type { Paged } from "./paged";

interface File<Row> {
  heads: string[];
  line: (row: Row) => (string | number | undefined)[];
}

interface Shown<Row> {
  list: Paged<Row>; // it is read, and ended with this
  name: string; // of the file, without its ending
  things: string; // "jobs"
  empty: ComponentChildren;
  file: File<Row>;
  table: (rows: Row[]) => ComponentChildren;
}

export function PagedList<Row>({ list, name, things, empty, file, table }: Shown<Row>) {
  useEffect(() => {
    void list.readMore();
    return () => list.end();
  }, [list]);
  const rows = list.rows.value;
  return (
    <>
      {list.problem.value !== "" && <Problem what={list.problem.value} again={() => void list.readAgain()} />}
      {!list.loaded.value && list.problem.value === "" && <Loading />}
      {list.loaded.value && rows.length === 0 && empty}
      {rows.length > 0 && (
        <>
          {table(rows)}
          <p class="buttons">
            {!list.complete.value && <button onClick={() => void list.readMore()}>More</button>}
            <button onClick={() => save(`${name}.csv`, csvOf(file.heads, rows.map(file.line)))}>CSV</button> {rows.length}
            {list.complete.value ? "" : " or more"} {things}
          </p>
        </>
      )}
    </>
  );
}
