import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readBlockHeader } from '@signalbox/analysis/analyzers/quality/source/blocks';
import { LANGUAGES } from '@signalbox/analysis/analyzers/quality/source/languages';
import { Visitor, parseSync } from 'oxc-parser';
import { describe, expect, it, vi } from 'vitest';
import { listFiles } from '../architecture/sources.ts';
import { analyze } from '../support/analyze.ts';
import { findSlowPattern } from '../support/slow-patterns.ts';

// What reads the texts of strangers. A pattern that is written there is tried with texts that are made from it, without a line here.
const READERS = [
  'shared/analysis/src/analyzers',
  'services/jobs/src/logs',
  'services/jobs/src/knowledge',
  'shared/safety/src/redact',
];
/** What stands before a block is cut to so many characters, which a test below demands: what they cost is a factor, and no growth. */
const HEADER = 264;
const SHORT: Readonly<Record<string, number>> = {
  'shared/analysis/src/analyzers/quality/source/braced-functions.ts': HEADER,
  'shared/analysis/src/analyzers/quality/source/languages.ts': HEADER,
};
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const files = READERS.flatMap((folder) => listFiles(ROOT, folder)).filter((path) => /(?<!\.test)\.ts$/.test(path));
const written = files.flatMap((path) =>
  patternsOf(readFileSync(`${ROOT}${path}`, 'utf8')).map((pattern) => ({ path, pattern })),
);

function patternsOf(text: string): readonly RegExp[] {
  const found: RegExp[] = [];
  new Visitor({
    Literal: (node) => void ('regex' in node && found.push(new RegExp(node.regex.pattern, node.regex.flags))),
  }).visit(parseSync('x.ts', text).program);
  return found;
}

/** What is put together when the analyzers are loaded and read something, by a constructor that keeps it. */
async function patternsMade(): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  class Kept extends RegExp {
    static override get [Symbol.species](): RegExpConstructor {
      return RegExp;
    }
    constructor(source: RegExp | string, flags?: string) {
      super(source, flags);
      if (/\/(?:analysis\/src\/analyzers|redact)\//.test(new Error().stack ?? '')) made.push(new RegExp(source, flags));
    }
  }
  vi.resetModules();
  vi.stubGlobal('RegExp', Kept);
  try {
    const { ANALYZERS } = await import('@signalbox/analysis/analyzers/analyzers');
    const extensions = LANGUAGES.flatMap((language) => language.extensions);
    const texts = Object.fromEntries(
      [...extensions.map((one) => `a.${one}`), 'README.md'].map((path) => [path, 'a(){']),
    );
    for (const analyzer of ANALYZERS) await analyze(analyzer, texts);
  } finally {
    vi.unstubAllGlobals();
  }
  return [...new Map(made.map((one) => [String(one), one])).values()];
}

describe('the regular expressions that read texts of strangers', { timeout: 120_000 }, () => {
  it('take linear time, in every file', () => {
    expect(written.length).toBeGreaterThan(500);
    const slow: unknown[] = [];
    for (const { path, pattern } of written) {
      const trouble = findSlowPattern(pattern, SHORT[path]);
      if (trouble !== null) slow.push([path, String(pattern), trouble]);
    }
    expect(slow).toEqual([]);
  });

  it('take linear time when they are assembled from parts', async () => {
    const made = await patternsMade();
    expect(made.length).toBeGreaterThan(20);
    const slow: unknown[] = [];
    for (const pattern of made) {
      const isOfHeaders = LANGUAGES.some(({ functions }) => String(functions) === String(pattern));
      const trouble = findSlowPattern(pattern, isOfHeaders ? HEADER : undefined);
      if (trouble !== null) slow.push([String(pattern), trouble]);
    }
    expect(slow).toEqual([]);
  });

  it.each(['a'.repeat(9_000), ' '.repeat(9_000), '[]'.repeat(9_000), `${'a'.repeat(200)}()`.repeat(90)])(
    'get no function header that is longer than the longest header in their test',
    (before) => {
      const code = `${before}{}`;
      const partners = new Int32Array(code.length).fill(-1);
      for (let at = 1; at < code.length; at++)
        if (/^[[({][\])}]$/.test(code.slice(at - 1, at + 1))) partners[at] = at - 1;
      expect(readBlockHeader(code, code.length - 2, partners).text.length).toBeLessThanOrEqual(HEADER);
    },
  );
});

it.each([
  /^\s*>>>/m,
  /\s+$/,
  /[.!?\s]+$/,
  /(\w+)\s*=/,
  /\bfn\s*a?\s*\(/,
  /<!--[^]*?-->/g,
  /\bexit\s*(?:code\s*)?[:=]?\s*0\b/i,
  /^(\d+(?:\.\d+)+(?:[-+.][\w.]*)?)$/,
  /(?<=\$\W*);/,
  /^(?=(?:.*;)+$)a/,
  /^(?:a+)+$/,
  /^(?:\w|\d)*;$/,
  /^(?:[a-z]+ ?)*\.$/i,
  /^(.*?,){11}P/,
])('the check finds that the regular expression %s takes more than linear time', (pattern) => {
  expect(findSlowPattern(pattern)).not.toBeNull();
});

it.each([/^\s+/, /\s+/g, /(?<!\s)\s+$/, /"[^"\n]{0,200}"/g, /\b(?:a|b)\s{0,8}=/, /^(?:\w+,)*$/, /<[^<>]{0,500}>/gi])(
  'the check finds that the regular expression %s takes linear time',
  (pattern) => {
    expect(findSlowPattern(pattern)).toBeNull();
  },
);
