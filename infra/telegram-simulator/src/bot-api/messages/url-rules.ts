const HTTP = new Set(['http:', 'https:']);
const TELEGRAM = new Set(['tg:', 'ton:', 'tonsite:']);

/** Returns Telegram's message for an invalid link; null when valid. Telegram requires a dot in the host, which excludes `localhost`. */
export function findUrlProblem(url: string): string | null {
  if (url.trim() === '') return 'URL host is empty';
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*\.[^/]*:\d/.test(url) ? url : `http://${url}`;
  if (!URL.canParse(withScheme)) return 'Wrong HTTP URL';
  const { protocol, hostname } = new URL(withScheme);
  if (TELEGRAM.has(protocol)) return null;
  if (!HTTP.has(protocol)) return 'Unsupported URL protocol';
  return hostname.includes('.') || hostname.startsWith('[') ? null : 'Wrong HTTP URL';
}
