// Whether this browser is let in, and as whom. A one-time link has its secret
// behind the '#'; it is exchanged for a cookie that no script can read.
import { signal } from "@preact/signals";
import { call, post, whenSignedOut, wordsOf } from "./calls";
import type { Caller } from "../messages/caller";

export const caller = signal<Caller | null>(null);
export const signedOut = signal<string>(""); // why; "" if it is not so
// Whether a link let this browser in, so that it can sign out here; else the
// proxy before the pages says who looks.
export const byLink = signal(true);
export const trouble = signal<string>("");

whenSignedOut(() => {
  if (signedOut.value === "") signedOut.value = "You are not signed in, or no longer.";
});

async function useLink(): Promise<void> {
  const secret = /^#link=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!secret) return;
  history.replaceState(null, "", "#/groups");
  dispatchEvent(new HashChangeEvent("hashchange"));
  try {
    await post("session", { link: secret });
    signedOut.value = "";
  } catch (error) {
    signedOut.value = wordsOf(error);
  }
}

export async function signIn(): Promise<void> {
  await useLink();
  if (signedOut.value !== "") return;
  try {
    trouble.value = "";
    const identity = fetch("session").then((answer) => answer.json()) as Promise<{ identity?: string }>;
    identity.then(({ identity: how }) => (byLink.value = how !== "proxy")).catch(() => undefined);
    caller.value = await call<Caller>("GetCaller", {});
  } catch (error) {
    if (signedOut.value === "") trouble.value = wordsOf(error);
  }
}

export async function signOut(): Promise<void> {
  await fetch("session", { method: "DELETE" });
  caller.value = null;
  signedOut.value = "You have signed out.";
}

// A link opened in a tab that shows the pages already.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#link=")) void signIn();
});

export function mayChange(namespace: string): boolean {
  const role = caller.value?.role;
  if (role === "ROLE_OPERATOR") return true;
  return role === "ROLE_USER" && (caller.value?.namespaces ?? []).includes(namespace);
}

export function mayOperate(): boolean {
  return caller.value?.role === "ROLE_OPERATOR";
}
