import type { Socket } from 'node:net';

/** Why something that reached a server is no request. */
export type Broken = 'too-slow' | 'malformed';

const STATUS: Readonly<Record<Broken, number>> = { 'too-slow': 408, malformed: 400 };

/** For what is no request at all or takes too long: there is nothing to reply to but the socket. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  note: (refusal: Broken) => void,
): void {
  // The caller hung up before it asked for anything.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const refusal = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed';
  note(refusal);
  if (socket.writable) socket.write(`HTTP/1.1 ${STATUS[refusal]} Refused\r\nConnection: close\r\n\r\n`);
  socket.destroy();
}
