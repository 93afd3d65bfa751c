// The same answer elsewhere: Rust, the command line, Python.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import type { Model } from "../model.js";
import { commandLine, python, rust } from "../snippets.js";
import type { Store } from "../store.js";
import type { Actions } from "../actions.js";

export function code({ scene, options }: Model, _store: Store, actions: Actions): HTMLElement[] {
  const part = (id: string, title: string, text: string): HTMLElement[] => [
    h(
      "div",
      { class: "titled" },
      h("h3", {}, title),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "aria-label": `Copy ${title}`,
          onclick: () => actions.copy(text),
          "data-key": `copy-${id}`,
        },
        icon("copy"),
        "Copy",
      ),
    ),
    h("pre", { id: `code-${id}`, tabindex: 0, "aria-label": title }, text),
  ];
  return [
    h("p", { class: "note" }, "Each of these gives the numbers above, digit for digit."),
    ...part("rust", "Rust", rust(scene, options.allHits)),
    ...part("cli", "Command line", commandLine(scene, options.allHits)),
    ...part("python", "Python", python(scene, options.allHits)),
  ];
}
