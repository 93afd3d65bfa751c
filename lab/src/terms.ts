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

/**
 * Listens for pointers and the focus. `inPicture` finds the label of the picture at a place: labels take no pointer
 * events, so that a drag can begin on one.
 */
export function listenToTerms(inPicture: (x: number, y: number) => { text: string; box: DOMRect } | null): void {
  let shown: Element | null = null;
  const showTerm = (term: Element): void => {
    shown = term;
    show(`${term.textContent}: ${term.getAttribute("data-term")}`, term.getBoundingClientRect());
  };
  const hide = (): void => {
    shown = null;
    byId("term").hidden = true;
  };
  const over = (event: Event): void => {
    const target = event.target instanceof Element ? event.target.closest("[data-term]") : null;
    if (target) return showTerm(target);
    const label = event instanceof PointerEvent && event.buttons === 0 ? inPicture(event.clientX, event.clientY) : null;
    hide();
    if (label) show(label.text, label.box);
  };
  // The focus can scroll its letter into view: the window goes with it.
  const scrolled = (): void => (shown?.isConnected ? showTerm(shown) : hide());
  document.addEventListener("pointermove", over);
  document.addEventListener("pointerdown", over);
  document.addEventListener("focusin", over);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", scrolled, true);
  // Escape on a letter closes the window; the next one clears the selection.
  const closed = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || byId("term").hidden) return;
    if (shown === document.activeElement) event.stopPropagation();
    hide();
  };
  document.addEventListener("keydown", closed, true);
}
