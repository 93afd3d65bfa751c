// Bytes as text, and deflated.

export const toBase64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  how: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(how);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const deflate = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  toBase64(await through(bytes, new CompressionStream("deflate-raw")));

export const inflate = (text: string): Promise<Uint8Array<ArrayBuffer>> =>
  through(fromBase64(text), new DecompressionStream("deflate-raw"));
