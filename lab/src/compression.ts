// Bytes as base64url text, and deflated.

export const toBase64 = (bytes: Uint8Array): string => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** Thrown by {@link inflate} where the text holds more bytes than it may. */
export class TooLong extends Error {}

/** Collects a stream, and stops reading it after `limit` bytes. */
async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > limit) {
      await reader.cancel();
      throw new TooLong(`more than ${limit} bytes`);
    }
    chunks.push(next.value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const through = (bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough<Uint8Array>(transform);

export const deflate = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  toBase64(await collect(through(bytes, new CompressionStream("deflate-raw")), Infinity));

/**
 * The bytes of a deflated text.
 * @throws TooLong if they are more than `limit`: a short text can hold very many
 */
export const inflate = (text: string, limit = Infinity): Promise<Uint8Array<ArrayBuffer>> =>
  collect(through(fromBase64(text), new DecompressionStream("deflate-raw")), limit);
