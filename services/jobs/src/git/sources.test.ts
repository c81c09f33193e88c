import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRepository } from './repository-address.ts';
import { nameRelease } from './sources.ts';

const makeTemporaryFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'repositories-')));
const COMMIT = '3f2a9c1e00000000000000000000000000000000';

describe('the name of a release', () => {
  test.each([
    ['v1.1.0', null, '1.1.0-3f2a9c1'],
    ['1.2', '9.9.9', '1.2-3f2a9c1'],
    ['main', '1.4.0', 'main-3f2a9c1'],
    ['buildfail', '1.4.0', 'buildfail-3f2a9c1'],
    ['HEAD', '1.4.0', '1.4.0-3f2a9c1'],
    ['3f2a9c1', '1.4.0', '1.4.0-3f2a9c1'],
    ['feature/tea', null, 'feature-tea-3f2a9c1'],
    ['3f2a9c1', null, 'commit-3f2a9c1'],
  ])('for the Git reference %s and the package version %s is %s', (ref, version, release) => {
    expect(nameRelease(ref, COMMIT, version)).toBe(release);
  });
});

describe('the address of a repository', () => {
  test.each([
    ['https://example.org/shop.git', 'https'],
    ['ssh://git@example.org/shop.git', 'ssh'],
    ['git@example.org:shop.git', 'ssh'],
  ])('%s is fetched over %s', (address, protocol) => {
    expect(parseRepository(address, ['/nowhere'], [])).toMatchObject({ url: address, protocol });
  });

  test.each([
    'http://example.org/shop.git',
    'ext::sh -c "id"',
    '--upload-pack=id',
    'ssh://-oProxyCommand=id/x',
    'git://example.org/shop',
    'file:///etc',
    '/etc',
    '../x',
    'git@-oProxyCommand=id:x',
    'https://example.org/a b',
  ])('%s is refused', (address) => {
    expect(() => parseRepository(address, ['/nowhere'], [])).toThrow(/I do not read the repository/);
  });

  test('may name a folder below the first of the folders that has it, and nothing outside of them', () => {
    const [first, second] = [join(makeTemporaryFolder(), 'a'), join(makeTemporaryFolder(), 'b')];
    for (const folder of [first, join(second, 'tea')]) mkdirSync(folder, { recursive: true });
    const folders = [first, second];
    expect(parseRepository('./tea', folders, [])).toMatchObject({ url: join(second, 'tea'), shown: './tea' });
    expect(() => parseRepository('./coffee', folders, [])).toThrow(/there is no such folder/);
    expect(() => parseRepository('./../..', folders, [])).toThrow(
      /not below REPOSITORIES_DIR.*\.\/shop names a folder/,
    );
  });

  test('is shown without the password in it', () => {
    for (const protocol of ['https', 'http'])
      expect(() => parseRepository(`${protocol}://ada:plum@example.org/x`, ['/nowhere'], [])).toThrow(
        `repository ${protocol}://example.org/x: an address must not contain a login`,
      );
  });
});
