import type { IncomingHttpHeaders } from 'node:http';

export function isJsonRequest({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  return /^application\/json\s*(;|$)/i.test(type);
}

export function getContentLength({ 'content-length': length = '0' }: IncomingHttpHeaders): number {
  return Number(length);
}
