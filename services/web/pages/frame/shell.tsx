// The frame around every page: navigation, light and dark, keys, who is let in.
import { Fragment } from "preact";
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { bindKeys, boundKeys, helpOpen, type Key } from "./keys";
import { Empty, Loading, Problem } from "./notice";
import { kPages } from "./pages";
import { link, page, route } from "./route";
import { byLink, caller, signedOut, signIn, signOut, trouble } from "./session";

const theme = signal(localStorage.getItem("theme") ?? "");

function switchTheme(): void {
  const dark =
    theme.value === "dark" ||
    (theme.value === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  theme.value = dark ? "light" : "dark";
  localStorage.setItem("theme", theme.value);
}

function callerText(): string {
  return `${caller.value?.name} (${(caller.value?.role ?? "").replace("ROLE_", "").toLowerCase()})`;
}

function Navigation() {
  const goTo = useRef<HTMLInputElement>(null);
  useEffect(
    () =>
      bindKeys([
        ...kPages.map(
          (each): Key => ({
            keys: each.key,
            does: `shows ${each.title}`,
            run: () => (location.hash = link([each.name])),
          }),
        ),
        { keys: "/", does: "goes to the search", run: () => goTo.current?.focus() },
        { keys: "?", does: "shows these keys", run: () => (helpOpen.value = !helpOpen.value) },
      ]),
    [],
  );
  const open = (event: Event) => {
    event.preventDefault();
    const words = (goTo.current?.value ?? "").trim().split("/");
    if (words[0] === "") return;
    location.hash = link(words.length > 1 ? ["groups", words[0]!, words.slice(1).join("/")] : ["groups", "default", words[0]!]);
    goTo.current?.blur();
  };
  return (
    <header>
      <a class="brand" href={link(["groups"])}>
        Fluxnetes
      </a>
      <nav aria-label="Pages">
        {kPages.map((each) => (
          <a href={link([each.name])} aria-current={page.value === each.name ? "page" : undefined}>
            {each.title}
          </a>
        ))}
      </nav>
      <form onSubmit={open} role="search">
        <input ref={goTo} type="search" placeholder="namespace/group" aria-label="Open a group by its name" />
      </form>
      <button onClick={switchTheme} title="Light or dark">
        ◐<span class="hidden">Light or dark</span>
      </button>
      <button onClick={() => (helpOpen.value = true)} title="Keys">
        ?<span class="hidden">Keys</span>
      </button>
      {caller.value && !byLink.value && <span>{callerText()}</span>}
      {caller.value && byLink.value && (
        <button onClick={() => void signOut()} title="Sign out">
          {callerText()}
        </button>
      )}
    </header>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useSignalEffect(() => {
    if (helpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  return (
    <dialog class="help" ref={dialog} onClose={() => (helpOpen.value = false)} aria-label="Keys">
      <h2>Keys</h2>
      {helpOpen.value && (
        <dl>
          {boundKeys().map((each) => (
            <>
              <dt>
                <kbd>{each.keys}</kbd>
              </dt>
              <dd>{each.does}</dd>
            </>
          ))}
        </dl>
      )}
      <button onClick={() => (helpOpen.value = false)}>Close</button>
    </dialog>
  );
}

function SignedOut() {
  return (
    <Empty whole title="You are not let in">
      <p>{signedOut.value}</p>
      {byLink.value ? (
        <p>
          Run <code>fluxnetes web</code> where the scheduler runs, and open the link that it prints.
        </p>
      ) : (
        <p>Sign in at the proxy before the pages: load them again.</p>
      )}
    </Empty>
  );
}

function Page() {
  if (signedOut.value !== "") return <SignedOut />;
  if (trouble.value !== "") return <Problem what={trouble.value} again={() => void signIn()} />;
  if (!caller.value) return <Loading />;
  const shown = kPages.find((each) => each.name === page.value)?.show(route.value);
  // With the key of another page, nothing of the page before stays.
  if (shown) return <Fragment key={page.value}>{shown}</Fragment>;
  return (
    <Empty whole title="There is no such page">
      <p>
        <a href={link(["groups"])}>Show the groups</a>
      </p>
    </Empty>
  );
}

export function Shell() {
  useSignalEffect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to the page
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <Help />
    </>
  );
}
