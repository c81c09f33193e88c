/** The longest name that we keep: what file systems take, with room for our own additions. */
const MAX_LENGTH = 120;
/** Longer endings are no file types. */
const MAX_ENDING = 12;

/**
 * A file's name as it may be shown and stored anywhere: without folders, control characters, marks that turn the direction
 * of writing (`gpj.exe` that looks like `exe.jpg`), and dots in front. Too long a name keeps its ending. Never empty.
 */
export function cleanFileName(name: string, fallback = 'file'): string {
  const base = name.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const plain = Buffer.from(base.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*[\]]/gu, ' ')).toString();
  const tidy = plain
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '');
  return shorten(tidy) || fallback;
}

/** `120 kB`, `3.4 MB`: for people. */
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
