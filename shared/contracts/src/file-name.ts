/** Maximum length of a file name, below the limit of file systems so that something can be added. */
const MAX_LENGTH = 120;
/** Maximum length of a file extension that is kept when a name is truncated. */
const MAX_ENDING = 12;

/** Removes folders, control characters, direction marks and leading dots. A long file name keeps its extension. Never empty. */
export function cleanFileName(name: string, fallback = 'file'): string {
  const base = name.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const plain = Buffer.from(base.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*[\]]/gu, ' ')).toString();
  const tidy = plain
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '');
  return shorten(tidy) || fallback;
}

/** Formats bytes for people: `120 kB`, `3.4 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  if (sizeBytes < 1_000_000) return `${Math.round(sizeBytes / 1_000)} kB`;
  return `${(sizeBytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
}

function shorten(name: string): string {
  const letters = [...name];
  if (letters.length <= MAX_LENGTH) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= MAX_ENDING ? name.slice(dot) : '';
  return `${letters
    .slice(0, MAX_LENGTH - ending.length)
    .join('')
    .trimEnd()}${ending}`;
}
