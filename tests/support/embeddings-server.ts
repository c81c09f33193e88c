import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request: a refusal, an answer that is none, or no answer at all. */
export type EmbeddingsFault = { readonly status: number } | { readonly body: string } | 'hang';

export interface AskedEmbeddings {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly texts: readonly string[];
}

/** A server that speaks OpenAI's embeddings: texts are near when they share sequences of letters. */
export interface EmbeddingsServer {
  /** As EMBEDDINGS_URL takes it. */
  readonly url: string;
  asked(): readonly AskedEmbeddings[];
  /** Lists all texts that came, and forgets them. */
  takeTexts(): readonly string[];
  /** Faults of the next requests, in order. */
  plan(...faults: readonly EmbeddingsFault[]): void;
  /** Vectors have this many numbers from now on. */
  setDims(dims: number): void;
  close(): Promise<void>;
}

/** Starts it. A request with a text that contains `refused` is answered with 400, as servers do with texts that are too long. */
export async function startEmbeddingsServer(refused = '\u0000'): Promise<EmbeddingsServer> {
  let asked: AskedEmbeddings[] = [];
  const planned: EmbeddingsFault[] = [];
  let dims = 256;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string; input: string[] }; // the client's format
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, model, texts: input });
    const fault = planned.shift() ?? null;
    if (fault === 'hang') return;
    if (fault !== null && 'body' in fault)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body);
    const status = fault?.status ?? (input.some((text) => text.includes(refused)) ? 400 : 200);
    if (status !== 200) return answer(response, status, { error: { message: 'as planned' } });
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, dims) }));
    // The order of an answer is not promised.
    answer(response, 200, { object: 'list', data: data.toReversed(), model });
  };
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    takeTexts: () => {
      const texts = asked.flatMap((one) => one.texts);
      asked = [];
      return texts;
    },
    plan: (...faults) => void planned.push(...faults),
    setDims: (count) => void (dims = count),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const GRAM = 4;

/** Counts sequences of four letters under hashed numbers, so that words with a common part are near. */
function embed(text: string, dims: number): readonly number[] {
  const vector = Array.from({ length: dims }, () => 0);
  const letters = text.toLowerCase().replace(/[^\p{L}]+/gu, ' ');
  for (let at = 0; at + GRAM <= letters.length; at += 1) {
    let hash = 2_166_136_261;
    for (const letter of letters.slice(at, at + GRAM))
      hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
    const place = (hash >>> 1) % dims;
    vector[place] = (vector[place] ?? 0) + ((hash & 1) === 0 ? 1 : -1);
  }
  return vector;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
