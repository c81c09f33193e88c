import type { FastifyRequest } from 'fastify';

/** The browser's preferred language as a BCP 47 code; null when the header names none. */
export function parseAcceptLanguage({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const [first = ''] = (headers['accept-language'] ?? '').split(/[,;]/, 1);
  return /^[a-z]{2,3}(-[a-z\d]{2,8}){0,2}$/i.test(first.trim()) ? first.trim() : null;
}
