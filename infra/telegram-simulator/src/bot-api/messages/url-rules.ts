const HTTP = new Set(['http:', 'https:']);
const TELEGRAM = new Set(['tg:', 'ton:', 'tonsite:']);

/**
 * Says in Telegram's words what is wrong with a link of a button or of a text, or null. Telegram wants a host with a
 * dot, so `http://localhost:3000` is refused there too, which is worth learning before production.
 */
export function findUrlProblem(url: string): string | null {
  if (url.trim() === '') return 'URL host is empty';
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*\.[^/]*:\d/.test(url) ? url : `http://${url}`;
  if (!URL.canParse(withScheme)) return 'Wrong HTTP URL';
  const { protocol, hostname } = new URL(withScheme);
  if (TELEGRAM.has(protocol)) return null;
  if (!HTTP.has(protocol)) return 'Unsupported URL protocol';
  return hostname.includes('.') || hostname.startsWith('[') ? null : 'Wrong HTTP URL';
}
