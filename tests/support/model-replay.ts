import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server answers, byte by byte. */
export interface ReplayedAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that gives these answers in order, whatever is asked: for what is recorded of the real wires and aimock does otherwise. */
export interface ModelReplay {
  readonly url: string;
  requests(): number;
  close(): Promise<void>;
}

export async function startModelReplay(...answers: readonly ReplayedAnswer[]): Promise<ModelReplay> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status = 200, type = 'text/event-stream', headers = {}, body } = answers[requests] ?? { body: '' };
      requests += 1;
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Server-sent events, each named by the `type` of its data if that has one. */
export function eventStream(...events: readonly (string | Readonly<Record<string, unknown>>)[]): string {
  return events
    .map((event) => {
      const data = typeof event === 'string' ? event : JSON.stringify(event);
      const name = typeof event === 'object' && typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
      return `${name}data: ${data}\n\n`;
    })
    .join('');
}
