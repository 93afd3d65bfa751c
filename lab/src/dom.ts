// Functions that make elements of HTML and SVG.

type Child = Node | string | null | undefined | false;
type Handlers = { [K in keyof HTMLElementEventMap as `on${K}`]?: (event: HTMLElementEventMap[K]) => void };
type Props = Handlers & Record<string, unknown>;

/** `h("button", { class: "quiet", onclick: go }, "Go")` */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, props);
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag: string, props: Record<string, unknown> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  apply(element, props);
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

function apply(element: Element, props: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return found as T;
}

/** Replaces the children, and restores the focus to the element of the same `data-key`. */
export function replace(parent: Element, ...children: Child[]): void {
  const key = parent.contains(document.activeElement) && document.activeElement?.getAttribute("data-key");
  parent.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
  if (key) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
