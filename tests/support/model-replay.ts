import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** What a server answers, byte by byte. */
export interface ReplayedAnswer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sends the body line by line, with this pause in milliseconds before each line. */
  readonly pauseMs?: number;
  /** True when the connection stays open after the body. */
  readonly staysOpen?: true;
}

/** A server that gives these answers in order, whatever is asked: for what is recorded of the real wires and aimock does otherwise. */
export interface ModelReplay {
  readonly url: string;
  requests(): number;
  /** The bodies of the requests, in order. */
  bodies(): readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export async function startModelReplay(...answers: readonly ReplayedAnswer[]): Promise<ModelReplay> {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const server = createServer((request, response) => {
    let asked = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (asked += text));
    request.on('end', () => {
      const answer = answers[bodies.length] ?? { body: '' };
      bodies.push(JSON.parse(asked) as Readonly<Record<string, unknown>>); // all of these protocols send objects
      response.writeHead(answer.status ?? 200, {
        'content-type': answer.type ?? 'text/event-stream',
        ...answer.headers,
      });
      void send(answer);
    });
    const send = async ({ body, pauseMs, staysOpen }: ReplayedAnswer): Promise<void> => {
      for (const part of pauseMs === undefined ? [body] : body.split(/(?<=\n)/)) {
        if (pauseMs !== undefined) await wait(pauseMs);
        response.write(part);
      }
      if (!staysOpen) response.end();
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => bodies.length,
    bodies: () => bodies,
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

/** A stream of OpenAI's chat completions with these parts of its pieces. */
export function openAiStream(...parts: readonly Readonly<Record<string, unknown>>[]): string {
  return eventStream(
    ...parts.map((part) => ({ id: 'x', object: 'chat.completion.chunk', model: 'm', ...part })),
    '[DONE]',
  );
}
