import type { Socket } from 'node:net';

export type BrokenRequest = 'too-slow' | 'malformed';

const STATUS: Readonly<Record<BrokenRequest, number>> = { 'too-slow': 408, malformed: 400 };

/** Answers a malformed or slow request on the socket itself, since HTTP cannot parse it. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  note: (refusal: BrokenRequest) => void,
): void {
  // The client disconnected before it sent a request.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const refusal = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'malformed';
  note(refusal);
  if (socket.writable) socket.write(`HTTP/1.1 ${STATUS[refusal]} Refused\r\nConnection: close\r\n\r\n`);
  socket.destroy();
}
