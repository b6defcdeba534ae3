// A list that is read page by page, as one asks for more.
import { batch, signal } from "@preact/signals";
import { call, wordsOf } from "./calls";

interface Answer {
  nextPageToken?: string;
}

export class Paged<Row> {
  readonly rows = signal<Row[]>([]);
  readonly loaded = signal(false);
  readonly complete = signal(false);
  readonly problem = signal("");
  private token = "";
  private reading = false;
  private aborter = new AbortController();

  // `rowsOf` finds the rows of an answer.
  constructor(
    private readonly method: string,
    private readonly request: object,
    private readonly rowsOf: (answer: never) => Row[] | undefined,
  ) {}

  async readMore(): Promise<void> {
    if (this.reading || this.complete.value) return;
    this.reading = true;
    try {
      const answer = await call<Answer>(this.method, { pageSize: 100, ...this.request, pageToken: this.token }, this.aborter.signal);
      batch(() => {
        this.rows.value = [...this.rows.value, ...(this.rowsOf(answer as never) ?? [])];
        this.token = answer.nextPageToken ?? "";
        this.complete.value = this.token === "";
        this.loaded.value = true;
        this.problem.value = "";
      });
    } catch (error) {
      if (!this.aborter.signal.aborted) this.problem.value = wordsOf(error);
    } finally {
      this.reading = false;
    }
  }

  async readAgain(): Promise<void> {
    const fresh = new Paged<Row>(this.method, this.request, this.rowsOf);
    await fresh.readMore();
    batch(() => {
      this.problem.value = fresh.problem.value;
      if (fresh.problem.value !== "") return;
      this.rows.value = fresh.rows.value;
      this.token = fresh.token;
      this.complete.value = fresh.complete.value;
      this.loaded.value = true;
    });
  }

  end(): void {
    this.aborter.abort();
  }
}
