import { describe, expect, it } from 'vitest';
import { parseIgnoreFile } from './ignore-file.ts';

/** Those of these paths that stay out. */
const out = (text: string, ...paths: readonly string[]): readonly string[] => {
  const { excludes } = parseIgnoreFile(text);
  return paths.filter((path) => excludes(path));
};

describe('a .dockerignore', () => {
  it.each([
    [
      'a name counts at the root, with all in it',
      'node_modules',
      ['node_modules', 'node_modules/a/b'],
      ['src/node_modules', 'node_modules2'],
    ],
    ['slashes at both ends say nothing', '/secrets/', ['secrets', 'secrets/key'], ['a/secrets']],
    ['dots on the way are resolved', './a/../b', ['b', 'b/c'], ['a', 'a/b']],
    ['a star stays in its folder', '*.pem', ['key.pem', '.pem'], ['keys/key.pem', 'key.pem.txt']],
    ['a star for a folder', '*/temp*', ['a/temp', 'a/temporary/x'], ['temp', 'a/b/temp']],
    ['a question mark is one character', 'temp?', ['tempa', 'temp1/x'], ['temp', 'tempab', 'temp/']],
    ['two stars are any folders, or none', '**/.env', ['.env', 'a/.env', 'a/b/.env'], ['a.env', '.envrc']],
    ['two stars at the end are all below', 'logs/**', ['logs/a', 'logs/a/b'], ['logs', 'logs2/a']],
    ['two stars in the middle', 'a/**/z', ['a/z', 'a/b/c/z', 'a/b/z/y'], ['a', 'z', 'ab/z']],
    ['a class of characters', 'file[0-9a].txt', ['file1.txt', 'filea.txt'], ['fileb.txt', 'file10.txt']],
    ['a class that is turned around', 'file[^0-9].txt', ['filea.txt'], ['file1.txt']],
    ['in a class ! is itself', 'file[!a].txt', ['file!.txt', 'filea.txt'], ['fileb.txt']],
    ['what is escaped is meant as it is', '\\*.txt', ['*.txt'], ['a.txt']],
    ['what means something elsewhere does not', 'a+(b|c){1}$.d', ['a+(b|c){1}$.d'], ['ab.d', 'aab.d']],
    ['comments and empty lines say nothing', '# a\n\n   \n b \n#c', ['b'], ['a', 'c', '# a']],
    ['lines may end as those of Windows do', 'a\r\nb\r\n', ['a', 'b'], ['c']],
    ['a mark at its very beginning says nothing', '\uFEFFa', ['a'], ['b']],
    [
      'everything, but for one folder and its files',
      '*\n!src\n!package.json',
      ['a', 'b/c'],
      ['src', 'src/a/b', 'package.json'],
    ],
    [
      'the last pattern that matches decides',
      '*.md\n!README*.md\nREADME-secret.md',
      ['a.md', 'README-secret.md'],
      ['README.md', 'README-a.md'],
    ],
    ['an exception that is taken back says nothing', '!README.md\n*.md', ['README.md'], ['README']],
    [
      'a file comes back out of a folder',
      'secrets\n!secrets/public.pem',
      ['secrets', 'secrets/key'],
      ['secrets/public.pem'],
    ],
  ])('excludes the expected files in the case: %s', (_, text, excluded, included) => {
    expect(out(text, ...excluded, ...included)).toEqual(excluded);
  });

  it.each(['[a', '!', 'a\\', '[z-a]'])('is refused when it has the invalid pattern %s', (text) => {
    expect(() => parseIgnoreFile(`ok\n${text}`)).toThrow(/\.dockerignore.*cannot be read/);
  });
});
