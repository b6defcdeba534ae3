// A page whose code the browser gets when the page is first shown.
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { wordsOf } from "./calls";
import { Loading, Problem } from "./notice";

export function Later<Props extends object>({ load, props }: { load: () => Promise<ComponentType<Props>>; props: Props }) {
  const page = useSignal<{ Shown: ComponentType<Props> } | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    load().then(
      (Shown) => (page.value = { Shown }),
      (error: unknown) => (problem.value = wordsOf(error)),
    );
  }, []);
  if (problem.value !== "") return <Problem what={problem.value} again={() => location.reload()} />;
  if (!page.value) return <Loading />;
  const { Shown } = page.value;
  return <Shown {...props} />;
}
