import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';

/**
 * What goes wrong with one request. status: a refusal in the provider's own form. cut: the connection breaks in the middle of the answer.
 * end: the answer ends there without an error. hang: nothing comes after that. silence: nothing comes at all.
 */
export type Fault =
  | { readonly status: number; readonly message?: string; readonly retryAfterSeconds?: number }
  | 'cut'
  | 'end'
  | 'hang'
  | 'silence';

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it was on the wire, before anything translated it. */
  readonly body: Record<string, unknown>;
}

/** The servers of all providers at one address: their protocols come from aimock, what happens to the bytes from here. */
export interface ModelWire {
  readonly url: string;
  requests(): readonly SeenRequest[];
  /** Faults of the next requests, in order; null for none. */
  plan(...faults: readonly (Fault | null)[]): void;
  /** Requests whose answer is still under way. */
  open(): number;
  /** Requests whose connection the client closed before their answer was over. */
  abandoned(): number;
  /** Calling twice is safe. */
  close(): Promise<void>;
}

/** What the servers answer: one script for all, which sees each request in OpenAI's form. */
export type WireScript = (request: ChatCompletionRequest) => FixtureResponse;

/** Changes an answer on its way, such as counts that aimock does not send. */
export type WireRewrite = (request: SeenRequest['body'], answer: string) => string;

/** Starts them. `chunkSize`: characters in one piece of a stream. */
export async function startModelWire(
  answer: WireScript,
  { chunkSize = 5, rewrite }: { readonly chunkSize?: number; readonly rewrite?: WireRewrite } = {},
): Promise<ModelWire> {
  const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize });
  mock.on({ predicate: () => true }, answer);
  await mock.start();
  const seen: SeenRequest[] = [];
  const planned: (Fault | null)[] = [];
  let open = 0;
  let abandoned = 0;

  const server = createServer((incoming, outgoing) => {
    open += 1;
    let broken = false;
    outgoing.on('close', () => {
      open -= 1;
      if (!outgoing.writableFinished && !broken) abandoned += 1;
    });
    void readBytes(incoming).then((bytes) => {
      const text = bytes.toString();
      const body = JSON.parse(text) as Record<string, unknown>; // all of these protocols send objects
      seen.push({ path: incoming.url ?? '', headers: incoming.headers, body });
      const fault = planned.shift() ?? null;
      if (fault === 'silence') return;
      if (typeof fault === 'object' && fault !== null)
        mock.nextRequestError(fault.status, { message: fault.message ?? 'as planned', type: 'planned' });
      const onBreak = (): void => void (broken = true);
      const change = rewrite && ((answered: string) => rewrite(body, answered));
      pass(`${mock.url}${incoming.url}`, incoming, text, outgoing, { fault, onBreak, change });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => seen,
    plan: (...faults) => void planned.push(...faults),
    open: () => open,
    abandoned: () => abandoned,
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await mock.stop();
    },
  };
}

interface PassOptions {
  readonly fault: Fault | null;
  readonly onBreak: () => void;
  readonly change: ((answered: string) => string) | undefined;
}

/** Hands the request on, and the answer back: whole, or only its first half. */
function pass(
  url: string,
  incoming: IncomingMessage,
  body: string,
  outgoing: ServerResponse,
  { fault, onBreak, change }: PassOptions,
): void {
  const headers = { ...incoming.headers, host: new URL(url).host };
  const upstream = forward(url, { method: incoming.method ?? 'POST', headers }, (answer) => {
    const { 'content-length': _, ...rest } = answer.headers;
    const planned = typeof fault === 'object' && fault?.retryAfterSeconds !== undefined ? fault : null;
    outgoing.writeHead(answer.statusCode ?? 500, {
      ...rest,
      ...(planned ? { 'retry-after': String(planned.retryAfterSeconds) } : {}),
    });
    if (fault !== 'cut' && fault !== 'end' && fault !== 'hang') {
      if (!change) answer.pipe(outgoing);
      else void readBytes(answer).then((bytes) => outgoing.end(change(bytes.toString())));
      return;
    }
    void readBytes(answer).then((bytes) => {
      outgoing.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => {
        if (fault !== 'hang') onBreak();
        if (fault === 'cut') outgoing.socket?.destroy();
        if (fault === 'end') outgoing.end();
      });
    });
  });
  upstream.on('error', () => undefined); // it was ended on purpose
  upstream.end(body);
}

async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk as Uint8Array)); // an IncomingMessage yields buffers
  return Buffer.concat(chunks);
}
