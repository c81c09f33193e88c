/** How a netlify.toml says that pages are built, and the folder of the pages. */
export interface Netlify {
  readonly command: string | null;
  readonly publish: string;
}

const SETTING = /^(base|command|publish)\s*=\s*(?:"([^"\\]{1,500})"|'([^']{1,500})')\s*(?:#.*)?$/;

/** Reads the part `[build]` of a netlify.toml; null when it names no folder of pages, or works in another folder. Pure. */
export function readNetlify(text: string | null): Netlify | null {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const start = lines.indexOf('[build]');
  if (start < 0) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('['));
  const settings = new Map(
    (end < 0 ? rest : rest.slice(0, end)).flatMap((line): [string, string][] => {
      const [, name = '', quoted, literal] = SETTING.exec(line) ?? [];
      return name === '' ? [] : [[name, (quoted ?? literal ?? '').trim()]];
    }),
  );
  const publish = trimSlashes(settings.get('publish') ?? '') || '.';
  const isInside = /^[\w.@/-]+$/.test(publish) && !publish.split('/').includes('..');
  if (!settings.has('publish') || trimSlashes(settings.get('base') ?? '') !== '' || !isInside) return null;
  return { command: settings.get('command') ?? null, publish };
}

function trimSlashes(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
}
