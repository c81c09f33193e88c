import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { AppError } from '@signalbox/contracts/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath, requireWritable } from './boundary.ts';

const tryAccess = (act: () => unknown): string => {
  try {
    act();
    return 'allowed';
  } catch (error) {
    return error instanceof AppError && error.code === 'PATH_DENIED' ? 'denied' : `threw ${String(error)}`;
  }
};

describe('parsePath', () => {
  it('splits a path and drops empty segments', () => {
    expect(parsePath('docs//./a.md')).toEqual(['docs', 'a.md']);
    expect(parsePath('.')).toEqual([]);
    expect(parsePath('...')).toEqual(['...']);
    expect(parsePath('Müller/日本.md')).toEqual(['Müller', '日本.md']);
  });

  it.each(['a\0b', 'docs/a.md\0.png', '..', 'a/..', '/a', '~', 'a\\b', 'a\nb', 'a\u0301', 'a\u200d', '\ud800'])(
    'refuses the path %j',
    (path) => {
      expect(tryAccess(() => parsePath(path))).toBe('denied');
    },
  );

  it('refuses a path or returns names inside the workspace, whatever the path is', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '', '/', '~', '\0', '.git', 'a', '\\', 'é'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const read = (): readonly string[] => parsePath(pieces.join('/'));
        const verdict = tryAccess(read);
        expect(['allowed', 'denied']).toContain(verdict);
        const parts = verdict === 'allowed' ? read() : [];
        for (const part of parts) expect(part).toMatch(/^(?!\.{1,2}$)[^/\0\\]+$/u);
      }),
    );
  });
});

describe('requireWritable', () => {
  const person = getAgentBounds('PERSON');

  it.each(['.git', '.Git/config', '.GIT', '.git./x', '.git /x', 'a/.git/hooks/x', 'git~1', '.git::$DATA'])(
    'refuses to write %s',
    (path) => {
      expect(tryAccess(() => requireWritable(person, parsePath(path)))).toBe('denied');
    },
  );

  it.each(['.gitignore', '.github/workflows/x.yml', 'git/x', 'a.git/x'])('permits writing %s', (path) => {
    expect(tryAccess(() => requireWritable(person, parsePath(path)))).toBe('allowed');
  });

  it('refuses to write to a forbidden folder in every spelling that some file system treats as the same folder', () => {
    const bounds = { ...getAgentBounds('WRITE_GATED'), writePaths: 'all' as const };
    for (const path of ['src/a', 'SRC/a', 'Ｓrc/a'])
      expect(tryAccess(() => requireWritable(bounds, parsePath(path)))).toBe('denied');
    expect(tryAccess(() => requireWritable(bounds, parsePath('source/a')))).toBe('allowed');
  });
});
