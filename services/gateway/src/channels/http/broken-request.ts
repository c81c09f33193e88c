import type { Socket } from 'node:net';

/** Why received bytes are no valid request. */
export type BrokenRequest = 'too-slow' | 'malformed';

const STATUS: Readonly<Record<BrokenRequest, number>> = { 'too-slow': 408, malformed: 400 };

/** Answers what is no valid request, or too slow, on the socket itself. */
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
