import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { ForwardDeps } from './forward.ts';
import { hasBody, toInstanceHeaders, stripOwnCookies } from './headers.ts';
import type { LiveRoute } from './live-route.ts';
import { connectToInstance, type InstanceConnection } from './reach.ts';
import { forwardRequest, writeHead } from './wire.ts';

/** A request to change the connection's protocol, such as to a websocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  /** Bytes that the client sent after the request. */
  readonly head: Buffer;
}

/** Joins client and instance when it accepts the upgrade, until one closes; else forwards its response. Never rejects. */
export async function tunnel(parts: ForwardDeps, live: LiveRoute, upgrade: Upgrade): Promise<void> {
  const { client, request } = upgrade;
  const aborter = new AbortController();
  client.once('close', () => aborter.abort());
  client.on('error', () => undefined); // `close` follows every error.
  if (hasBody(request)) {
    parts.metrics.count(live.service, 'refused');
    return refuse(client, '400 Bad Request', 'A request that asks for another protocol cannot have a body.');
  }
  let reached: InstanceConnection;
  const retried = (): void => parts.metrics.countRetry(live.service);
  try {
    reached = await connectToInstance(live, { connectMs: parts.connectMs, signal: aborter.signal, retried });
  } catch {
    parts.metrics.count(live.service, aborter.signal.aborted ? 'left' : 'unreached');
    return refuse(
      client,
      '502 Bad Gateway',
      `${live.service} cannot be reached right now. Please try again in a moment.`,
    );
  }
  const isAnswered = await connectBoth(parts, reached, upgrade, aborter.signal);
  const hasLeft = aborter.signal.aborted;
  if (isAnswered) {
    parts.metrics.count(live.service, 'served');
    return reached.lease.end('served');
  }
  parts.metrics.count(live.service, hasLeft ? 'left' : 'unanswered');
  reached.lease.end(hasLeft ? null : 'failed');
  refuse(client, '502 Bad Gateway', `${live.service} did not answer.`);
}

/** Joins both connections. Settles when they end; false when the instance never responded. */
function connectBoth(
  parts: ForwardDeps,
  { socket, lease }: InstanceConnection,
  { request, client, head }: Upgrade,
  aborter: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const { upgrade } = request.headers;
    const headers = { ...toInstanceHeaders(request, parts.trustForwarded), connection: 'upgrade', upgrade };
    const upstream = forwardRequest({ lease, socket }, request, headers);
    const end = (): void => {
      socket.destroy();
      resolve(isAnswered);
    };
    if (upstream === null) return end();
    aborter.addEventListener('abort', end, { once: true });
    socket.setTimeout(parts.silenceMs, () => upstream.destroy(new Error('the instance is silent')));
    socket.once('close', end);
    upstream.on('error', end);
    upstream.once('upgrade', (answer, _socket, firstBytes) => {
      isAnswered = true;
      socket.setTimeout(0);
      client.write(formatHead(answer));
      client.write(firstBytes);
      socket.write(head);
      socket.on('error', () => undefined); // `close` follows every error.
      client.pipe(socket).pipe(client);
    });
    upstream.once('response', (answer) => {
      isAnswered = true;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(client as Socket); // An HTTP server on TCP uses net.Socket.
      if (!writeHead(response, answer)) return end();
      pipeline(answer, response, () => client.end(end));
    });
    upstream.end();
  });
}

/** Formats the response head unchanged, because an upgrade's hop-by-hop headers belong to the client too. */
function formatHead({ rawHeaders, statusCode, statusMessage }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', given = ''] = rawHeaders.slice(at, at + 2);
    const value = stripOwnCookies(name.toLowerCase(), given);
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
