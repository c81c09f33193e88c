import { countInsecure } from '../insecure.ts';
import { createManifestFacts, type Dependency, type LockedPackage, type ManifestFacts } from '../package.ts';
import { normalizeName, readPackageOrigin, readRequirement } from './requirement.ts';

/** Pip options whose value is the address of a package index. */
const INDEX = /^(?:-i|--index-url|--extra-index-url|-f|--find-links)[\s=]+(\S+)/;
const TRUSTED = /^--trusted-host[\s=]+([\w.-]+)/;

/** Reads requirements.txt and similar files; pinned versions count as used versions. */
export function readRequirements(path: string, text: string): ManifestFacts {
  const wanted: Dependency[] = [];
  const packages: LockedPackage[] = [];
  const addresses: { readonly address: string; readonly line: number }[] = [];
  const isDev = /(?:dev|test|lint|docs?|ci|typing|mypy)/i.test(path.split('/').at(-1) ?? '');
  for (const { code, line } of readLines(text)) {
    const trusted = TRUSTED.exec(code)?.[1];
    const index = INDEX.exec(code)?.[1] ?? (trusted === undefined ? undefined : `http://${trusted}`);
    if (index !== undefined) addresses.push({ address: index, line });
    const one = index === undefined ? readLine(code) : null;
    if (!one) continue;
    wanted.push({ ...one, line, ...(isDev ? { isDev: true } : {}) });
    const version = /^===?([\w.+!-]+)$/.exec(one.range ?? '')?.[1];
    if (version !== undefined) packages.push({ name: one.name, version, ...(isDev ? { isDev: true } : {}) });
  }
  return createManifestFacts('PyPI', 'pip', { wanted, insecure: countInsecure(addresses), packages });
}

/** Yields the lines without comments; joins lines that end in a backslash. */
function* readLines(text: string): Generator<{ readonly code: string; readonly line: number }> {
  let open: string[] = [];
  let first = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    if (open.length === 0) first = index + 1;
    const isContinued = /\\\r?$/.test(raw.slice(-3));
    // A `#` fragment with a checksum is part of the address, not a comment.
    open.push(
      raw
        .slice(0, 4_000)
        .replace(/(?:^|\s)#.*$/s, '')
        .replace(/\\\r?$/, ''),
    );
    if (isContinued) continue;
    const code = open.slice(0, 2).join(' ').trim();
    open = [];
    if (code !== '') yield { code, line: first };
  }
}

function readLine(code: string): Dependency | null {
  const editable = /^(?:-e|--editable)[\s=]+(\S+)/.exec(code)?.[1];
  const address = editable ?? (/^(?:(?:git|hg|svn|bzr)\+|https?:|file:|\.{0,2}\/)\S*/.exec(code)?.[0] || undefined);
  if (address === undefined) return code.startsWith('-') ? null : readRequirement(code);
  const egg = /[#&]egg=([\w.-]+)/.exec(address)?.[1];
  const name =
    egg ?? /(?<![\w.-])([\w.-]+?)(?:\.git|\.tar\.gz|\.zip|\.whl)?$/.exec(lastPart(address.slice(-200)))?.[1] ?? '';
  return { name: normalizeName(name), range: null, origin: readPackageOrigin(address) };
}

function lastPart(address: string): string {
  const path = address.split('#', 1)[0] ?? '';
  return path.slice(path.lastIndexOf('/') + 1).split('@', 1)[0] ?? '';
}
