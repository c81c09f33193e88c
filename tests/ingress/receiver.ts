import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { Message, signatureOf } from './program.ts';

export const Push = z.object({ event: z.string().nullable(), conversation: z.string().nullable(), message: Message });

/** A request that came to a callback. */
export interface ReceivedPush {
  readonly key: string;
  readonly isGenuine: boolean;
  readonly path: string;
  readonly traceparent: string | null;
  readonly push: z.infer<typeof Push>;
}

/** The program at a callback: it checks signatures, and answers as it is told. */
export interface Receiver {
  readonly url: string;
  /** Every request, also those that it did not take. */
  readonly received: readonly ReceivedPush[];
  /** Those that it took, each message once, in their order: what such a program acts on. */
  taken(): readonly z.infer<typeof Push>[];
  /** What it answers from now on. */
  answer(how: Behavior): void;
  /** Stops listening; connections are refused. */
  stop(): Promise<void>;
  /** Listens again at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export type Behavior = (
  push: ReceivedPush,
  response: ServerResponse,
) => number | { readonly status: number; readonly headers: Readonly<Record<string, string>> } | 'silence' | 'hang up';

export async function openReceiver(secret: string): Promise<Receiver> {
  const received: ReceivedPush[] = [];
  const taken = new Map<string, z.infer<typeof Push>>();
  let behave: Behavior = () => 200;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const timestamp = String(request.headers['x-signalbox-timestamp']);
      const isGenuine = request.headers['x-signalbox-signature'] === signatureOf(secret, timestamp, body);
      const key = String(request.headers['idempotency-key']);
      const traceparent = request.headers['traceparent']?.toString() ?? null;
      const push = Push.parse(JSON.parse(body.toString()));
      const one: ReceivedPush = { key, isGenuine, path: request.url ?? '', traceparent, push };
      received.push(one);
      const answer = behave(one, response);
      if (answer === 'silence') return;
      if (answer === 'hang up') return void request.socket.destroy();
      const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
      if (status < 300 && !taken.has(key)) taken.set(key, push);
      response.writeHead(status, headers).end('noted');
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/answers`,
    received,
    taken: () => [...taken.values()],
    answer: (how) => void (behave = how),
    stop,
    start: () => listen(port),
    close: stop,
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer); // a request without an encoding yields bytes
  return Buffer.concat(pieces);
}
