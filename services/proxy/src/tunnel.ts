import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { ForwardParts } from './forward.ts';
import { hasBody, toInstance, withoutOurCookies } from './headers.ts';
import type { LiveRoute } from './live-route.ts';
import { reach, type Reached } from './reach.ts';
import { forwardRequest, writeHead } from './wire.ts';

/** A request to speak another protocol over this connection, such as a websocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  /** What the client has sent after its request already. */
  readonly head: Buffer;
}

/**
 * Passes an upgrade on. When the instance agrees, both connections are one until either end closes it; otherwise its answer is
 * passed on, and the connection ends. Settles when it is over; never rejects. A tunnel may be silent for as long as it likes.
 */
export async function tunnel(parts: ForwardParts, live: LiveRoute, upgrade: Upgrade): Promise<void> {
  const { client, request } = upgrade;
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  client.on('error', () => undefined); // `close` follows
  if (hasBody(request)) {
    parts.metrics.count(live.service, 'refused');
    return refuse(client, '400 Bad Request', 'A request that asks for another protocol cannot have a body.');
  }
  let reached: Reached;
  const retried = (): void => parts.metrics.retried(live.service);
  try {
    reached = await reach(live, { connectMs: parts.connectMs, signal: gone.signal, retried });
  } catch {
    parts.metrics.count(live.service, gone.signal.aborted ? 'left' : 'unreached');
    return refuse(
      client,
      '502 Bad Gateway',
      `${live.service} cannot be reached right now. Please try again in a moment.`,
    );
  }
  const isAnswered = await connectBoth(parts, reached, upgrade, gone.signal);
  const hasLeft = gone.signal.aborted;
  if (isAnswered) {
    parts.metrics.count(live.service, 'served');
    return reached.lease.end('served');
  }
  parts.metrics.count(live.service, hasLeft ? 'left' : 'unanswered');
  reached.lease.end(hasLeft ? null : 'failed');
  refuse(client, '502 Bad Gateway', `${live.service} did not answer.`);
}

/** Settles when the conversation is over: false when the instance never answered. */
function connectBoth(
  parts: ForwardParts,
  { socket, lease }: Reached,
  { request, client, head }: Upgrade,
  gone: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const { upgrade } = request.headers;
    const headers = { ...toInstance(request, parts.trustForwarded), connection: 'upgrade', upgrade };
    const upstream = forwardRequest({ lease, socket }, request, headers);
    const end = (): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    if (upstream === null) return end();
    gone.addEventListener('abort', end, { once: true });
    socket.setTimeout(parts.silenceMs, () => upstream.destroy(new Error('the instance is silent')));
    socket.once('close', end);
    upstream.on('error', end);
    upstream.once('upgrade', (answer, _socket, firstBytes) => {
      isAnswered = true;
      socket.setTimeout(0);
      client.write(headOf(answer));
      client.write(firstBytes);
      socket.write(head);
      socket.on('error', () => undefined); // `close` follows
      client.pipe(socket).pipe(client);
    });
    upstream.once('response', (answer) => {
      isAnswered = true;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(client as Socket); // of an HTTP server on TCP, so it is a net.Socket
      if (!writeHead(response, answer)) return end();
      pipeline(answer, response, () => client.end(end));
    });
    upstream.end();
  });
}

/** The answer's head as it came: of this connection are these headers too. */
function headOf({ rawHeaders, statusCode, statusMessage }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', given = ''] = rawHeaders.slice(at, at + 2);
    const value = withoutOurCookies(name.toLowerCase(), given);
    if (value !== null) lines.push(`${name}: ${value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function refuse(client: Duplex, status: string, sentence: string): void {
  if (client.destroyed) return;
  const body = `${sentence}\n`;
  const head = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  client.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}
