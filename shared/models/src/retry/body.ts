/** Reads a response body. Throws when it is larger than `maxBytes`. */
export async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const piece = chunk as Uint8Array; // a body yields bytes
    length += piece.length;
    if (length > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
