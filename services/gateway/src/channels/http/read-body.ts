/** Reads the whole body; null when the body exceeds the limit. */
export async function readAtMost(body: AsyncIterable<unknown>, limitBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const piece = chunk as Uint8Array; // undici's bodies yield bytes
    length += piece.length;
    if (length > limitBytes) return null; // leaving the loop closes the connection
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
