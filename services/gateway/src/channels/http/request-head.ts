import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request says that its body is JSON. */
export function isJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(type);
}

/** How many bytes a request announces; 0 when it announces none. */
export function announcedBytes({ 'content-length': length = '0' }: IncomingHttpHeaders): number {
  return Number(length);
}
