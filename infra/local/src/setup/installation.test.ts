import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { installDependencies } from '../../install.mjs';

// A checkout with some packages, and a fake npm that restores them from a copy.
let root = '';
let checkout = '';
const said: string[] = [];
const PACKAGES = {
  '': {},
  'services/worker': { version: '1.0.0' },
  'node_modules/@signalbox/worker': { link: true },
  'node_modules/zod': { version: '3.0.0' },
  'node_modules/@native/linux': { version: '1.0.0', optional: true },
  'services/worker/node_modules/pg': { version: '8.0.0' },
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'installation-'));
  checkout = join(root, 'checkout');
  const whole = join(root, 'whole');
  const put = (path: string, text = '{}'): void => {
    mkdirSync(join(whole, dirname(path)), { recursive: true });
    writeFileSync(join(whole, path), text);
  };
  put('package-lock.json', JSON.stringify({ packages: PACKAGES }));
  put('node_modules/.package-lock.json', JSON.stringify({ packages: PACKAGES }));
  put('services/worker/package.json');
  put('services/worker/node_modules/pg/package.json');
  for (const file of ['package.json', 'lib/index.js', 'lib/deep/types.js']) put(`node_modules/zod/${file}`);
  for (const file of ['package.json', 'bin/postgres']) put(`node_modules/@native/linux/${file}`);
  mkdirSync(join(whole, 'node_modules/@signalbox'));
  symlinkSync('../../services/worker', join(whole, 'node_modules/@signalbox/worker'));
  const copy = `cpSync(${JSON.stringify(whole)}, ${JSON.stringify(checkout)}, { recursive: true, verbatimSymlinks: true })`;
  writeFileSync(
    join(root, 'npm.js'),
    `const { cpSync, rmSync } = require('node:fs');
    rmSync(${JSON.stringify(join(checkout, 'node_modules'))}, { recursive: true, force: true }); ${copy};`,
  );
  cpSync(whole, checkout, { recursive: true, verbatimSymlinks: true });
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
  await install();
});
afterEach(() => {
  vi.restoreAllMocks();
  said.length = 0;
  rmSync(root, { recursive: true });
});

const install = (): Promise<string | null> => installDependencies(checkout, { npm_execpath: join(root, 'npm.js') });

test.each([
  ['a package', 'node_modules/zod'],
  ['a file of a package', 'node_modules/zod/lib/index.js'],
  ['a folder within a package', 'node_modules/zod/lib/deep'],
  ['the description of a package', 'node_modules/zod/package.json'],
  ['a native program', 'node_modules/@native/linux/bin/postgres'],
  ['a native package', 'node_modules/@native/linux'],
  ['a link to a workspace', 'node_modules/@signalbox/worker'],
  ['a package of one workspace alone', 'services/worker/node_modules/pg'],
])('when %s is missing from the installation, the damage is reported once and repaired', async (_, path) => {
  expect(said).toEqual([]);
  rmSync(join(checkout, path), { recursive: true });
  expect(await install()).toBeNull();
  expect(said[0]).toMatch(
    /^the installation is damaged \((a part of )?(node_modules|services)\/\S+ is missing\); it is made anew$/,
  );
  expect(said.filter((line) => line.includes('damaged'))).toHaveLength(1);
  readFileSync(join(checkout, 'node_modules/@signalbox/worker/package.json'));
  readFileSync(join(checkout, 'node_modules/zod/lib/deep/types.js'));
  said.length = 0;
  expect(await install()).toBeNull();
  expect(said).toEqual([]);
});

test('a package of another version is reported as damage, and extra files that tools write are ignored', async () => {
  mkdirSync(join(checkout, 'node_modules/.cache'));
  writeFileSync(join(checkout, 'node_modules/zod/lib/cache.js'), '');
  expect(await install()).toBeNull();
  expect(said).toEqual([]);
  const other = { ...PACKAGES, 'node_modules/zod': { version: '4.0.0' } };
  writeFileSync(join(checkout, 'node_modules/.package-lock.json'), JSON.stringify({ packages: other }));
  expect(await install()).toBeNull();
  expect(said[0]).toBe('the installation is damaged (it is not what package-lock.json asks for); it is made anew');
});
