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

/**
 * Turns a name from outside into one that is plain in paths and commands: letters, digits, `.`, `_` and `-`, at most 120 bytes, no leading
 * dot or hyphen. Keeps a short extension. Never empty.
 */
export function toPlainFileName(name: string, fallback = 'file'): string {
  const clean = cleanFileName(name, fallback);
  const dot = clean.lastIndexOf('.');
  const hasEnding = dot >= 0 && clean.length - dot <= MAX_ENDING;
  const ending = hasEnding ? clean.slice(dot + 1).replaceAll(/[^A-Za-z0-9]/g, '') : '';
  const letters = [...toPlainStem(hasEnding ? clean.slice(0, dot) : clean)];
  while (Buffer.byteLength(letters.join('')) > MAX_LENGTH - MAX_ENDING) letters.pop();
  const stem = letters.join('') || toPlainStem(fallback.replace(/\..*$/, ''));
  return ending === '' ? stem : `${stem}.${ending}`;
}

function toPlainStem(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M}._-]+/gu, '_')
    .replace(/^[\p{M}._-]+|[._]+$/gu, '')
    .normalize('NFC');
}

/** Formats bytes for people: `120 kB`, `3.4 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  if (sizeBytes < 1_000_000) return `${Math.round(sizeBytes / 1_000)} kB`;
  if (sizeBytes < 1_000_000_000) return `${(sizeBytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
  return `${(sizeBytes / 1_000_000_000).toFixed(1).replace(/\.0$/, '')} GB`;
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
