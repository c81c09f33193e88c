import type { IncomingHttpHeaders } from 'node:http';

/** True when the Content-Type is JSON. */
export function isJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(type);
}

/** The Content-Length in bytes; 0 without one. */
export function getAnnouncedBytes({ 'content-length': length = '0' }: IncomingHttpHeaders): number {
  return Number(length);
}
