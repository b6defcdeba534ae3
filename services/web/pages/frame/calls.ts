// Calls of fluxnetes.v1.Scheduler in the JSON form of Connect. Addresses are
// relative, so the pages work under any prefix.

export class CallError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

let onSignedOut = () => {};

// `then` is called whenever a call finds that there is no session.
export function whenSignedOut(then: () => void): void {
  onSignedOut = then;
}

export async function post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError("unavailable", "The server does not answer. Is the network there, and does it run?");
  }
  const text = await answer.text();
  if (answer.ok) return text === "" ? {} : JSON.parse(text);
  let code = "unknown";
  let message = `The server answers with status ${answer.status}.`;
  try {
    const parsed = JSON.parse(text);
    code = parsed.code ?? code;
    message = parsed.message ?? message;
  } catch {
    // a proxy's own page
  }
  if (code === "unauthenticated") onSignedOut();
  throw new CallError(code, message);
}

export async function call<T>(method: string, request: object, signal?: AbortSignal): Promise<T> {
  return (await post(`fluxnetes.v1.Scheduler/${method}`, request, signal)) as T;
}

// Returns what went wrong, in words.
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
