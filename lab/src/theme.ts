// Light or dark: what the system prefers, until somebody chooses. Colours come from the style sheet.

export type Theme = "light" | "dark";

const KEY = "hitscan-lab-theme";
const listeners: (() => void)[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === "light" || stored === "dark" ? stored : null;
  } catch {
    // Pages from disk may not keep anything.
    return null;
  }
}

let own = chosen();

export const theme = (): Theme => own ?? (system.matches ? "dark" : "light");

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  cache.clear();
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  own = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, own);
  } catch {
    // It lasts as long as the page.
  }
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

const cache = new Map<string, string>();

/** A colour of the style sheet: `color("ray")`. */
export function color(name: string): string {
  let value = cache.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888888";
    cache.set(name, value);
  }
  return value;
}

system.addEventListener("change", apply);
apply();
