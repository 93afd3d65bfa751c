// The letters of formulas and pictures: a small window names the one under the pointer or with the focus.

import { byId, h } from "./dom.js";

/** A letter that has a name. The keyboard reaches it, and what reads the page aloud says both. */
export function term(text: string, name: string, focusable = false): HTMLElement {
  return h(
    "dfn",
    {
      "data-term": name,
      ...(focusable && { tabindex: 0, role: "note", "aria-label": `${text}: ${name}`, "data-key": `term-${text}` }),
    },
    text,
  );
}

/** Shows the window beside a box of the page. */
function show(text: string, { left, right, top, bottom }: DOMRect): void {
  const tip = byId("term");
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const x = Math.min(Math.max((left + right - width) / 2, 4), innerWidth - width - 4);
  const y = top - height - 6 >= 4 ? top - height - 6 : bottom + 6;
  tip.style.transform = `translate(${x.toFixed(0)}px, ${y.toFixed(0)}px)`;
}

const hide = (): void => void (byId("term").hidden = true);

/**
 * Listens for pointers and the focus. `inPicture` finds the label of the picture at a place: labels take no pointer
 * events, so that a drag can begin on one.
 */
export function listenToTerms(inPicture: (x: number, y: number) => { text: string; box: DOMRect } | null): void {
  const showTerm = (term: Element): void =>
    show(`${term.textContent}: ${term.getAttribute("data-term")}`, term.getBoundingClientRect());
  const over = (event: Event): void => {
    const target = event.target instanceof Element ? event.target.closest("[data-term]") : null;
    if (target) return showTerm(target);
    const label = event instanceof PointerEvent && event.buttons === 0 ? inPicture(event.clientX, event.clientY) : null;
    if (label) show(label.text, label.box);
    else hide();
  };
  // The focus can scroll its letter into view.
  const scrolled = (): void => {
    const focused = document.activeElement?.closest("[data-term]");
    if (focused) showTerm(focused);
    else hide();
  };
  document.addEventListener("pointermove", over);
  document.addEventListener("pointerdown", over);
  document.addEventListener("focusin", over);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", scrolled, true);
  document.addEventListener("keydown", ({ key }) => void (key === "Escape" && hide()));
}
