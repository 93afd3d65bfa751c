// The loader: it inflates the program, which the page holds deflated at a third of its length, and runs it.

import { inflate } from "./compression.js";

async function start(): Promise<void> {
  const packed = document.getElementById("program")!.textContent!.trim();
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(await inflate(packed));
  document.body.append(script);
}

start().catch((error: unknown) => {
  document.getElementById("verdict")!.textContent = `The page did not start: ${String(error)}`;
  throw error;
});
