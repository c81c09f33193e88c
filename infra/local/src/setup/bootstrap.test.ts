import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planCommand } from '../../commands.mjs';
import { matchesLockFile } from '../../install.mjs';

let checkout = '';
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'bootstrap-'));
});
afterEach(() => rmSync(checkout, { recursive: true }));

test('the error for an unknown npm command lists the known commands', () => {
  expect(planCommand('strat', [], checkout, {})).toEqual({
    problem:
      "There is no command 'strat'. Known: start, chat, signalbox, test, check, ci, soak, bench, mind, new, measure, docs, release.",
  });
});

test('arguments after an npm command are passed on to its program', () => {
  const plan = planCommand('chat', ['--as', '1001', 'hello there'], checkout, {});
  expect(plan).toMatchObject({
    mode: 'replace',
    steps: [{ args: expect.arrayContaining(['--as', '1001', 'hello there']) }],
  });
});

test('the command line connects to the servers that run.json lists, unless environment variables name others', () => {
  const run = { databaseUrl: 'postgres://a', redisUrl: 'redis://b', bubblewrap: { BWRAP_PATH: '/unpacked/bwrap' } };
  mkdirSync(join(checkout, '.signalbox'));
  writeFileSync(join(checkout, '.signalbox/run.json'), JSON.stringify(run));
  expect(planCommand('signalbox', [], checkout, {})).toMatchObject({
    steps: [{ env: { DATABASE_URL: 'postgres://a', REDIS_URL: 'redis://b', BWRAP_PATH: '/unpacked/bwrap' } }],
  });
  expect(planCommand('signalbox', [], checkout, { DATABASE_URL: 'postgres://mine' })).toMatchObject({
    steps: [{ env: { DATABASE_URL: 'postgres://mine', REDIS_URL: 'redis://b' } }],
  });
  const inFile = planCommand('signalbox', [], checkout, { DATABASE_URL_FILE: '/run/secrets/url' });
  expect(inFile).toMatchObject({ steps: [{ env: { DATABASE_URL_FILE: '/run/secrets/url', REDIS_URL: 'redis://b' } }] });
  expect(inFile).not.toHaveProperty('steps.0.env.DATABASE_URL');
});

test('npm run mind compiles the services before a start, and accept runs the named session as a test', () => {
  expect(planCommand('mind', [], checkout, {})).toMatchObject({ needsBuild: true });
  expect(planCommand('mind', ['say', '1002', 'hello'], checkout, {})).not.toHaveProperty('needsBuild');
  expect(planCommand('mind', ['accept', 'newcomer'], checkout, {})).toMatchObject({
    steps: [{ args: expect.arrayContaining([' newcomer$', '--update']) }],
  });
  expect(planCommand('mind', ['accept'], checkout, {})).toHaveProperty('problem');
});

test('bench without arguments runs all benchmarks in order, and with a name only that benchmark', () => {
  mkdirSync(join(checkout, 'tests/bench'), { recursive: true });
  for (const name of ['peers.ts', 'latency.ts']) writeFileSync(join(checkout, 'tests/bench', name), '');
  expect(planCommand('bench', [], checkout, {})).toMatchObject({
    mode: 'in-turn',
    steps: [{ title: 'latency' }, { title: 'peers' }],
  });
  expect(planCommand('bench', ['--quick'], checkout, {})).toMatchObject({
    steps: [{ title: 'peers', args: expect.arrayContaining(['--quick']) }],
  });
  expect(planCommand('bench', ['latency'], checkout, {})).toMatchObject({ steps: [{ title: 'latency' }] });
  expect(planCommand('bench', ['nothing'], checkout, {})).toEqual({
    problem: "There is no bench 'nothing'. Known: latency, peers.",
  });
});

const wanted = {
  packages: {
    '': {},
    'shared/contracts': { version: '0.1.0' },
    'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
    'node_modules/other-system': { version: '1.0.0', integrity: 'sha512-b', optional: true },
    'node_modules/@signalbox/contracts': { link: true },
  },
};
const { '': _root, 'node_modules/other-system': _other, ...present } = wanted.packages;

test('optional packages for other operating systems may be missing from node_modules', () => {
  expect(matchesLockFile(wanted, { packages: present })).toBe(true);
  expect(matchesLockFile(wanted, { packages: wanted.packages })).toBe(true);
});

test('a missing, different or extra package in node_modules makes an install necessary', () => {
  const { 'node_modules/zod': zod, ...without } = present;
  expect(matchesLockFile(wanted, { packages: without })).toBe(false);
  expect(matchesLockFile(wanted, { packages: { ...present, 'node_modules/zod': { ...zod, version: '4.0.0' } } })).toBe(
    false,
  );
  expect(matchesLockFile(wanted, { packages: { ...present, 'node_modules/left': { version: '1.0.0' } } })).toBe(false);
  expect(matchesLockFile(wanted, {})).toBe(false);
});

test('npm test runs the quick suites by default, and only the suite or file that is named', () => {
  const args = (...given: string[]): string => JSON.stringify(planCommand('test', given, checkout, {}));
  expect(args()).toContain('"run","--project=unit","--project=together"]');
  expect(args('--coverage')).toContain('"--project=together","--coverage"]');
  expect(args('--project', 'faults')).toContain('"run","--project","faults"]');
  expect(args('tests/faults/kills.test.ts')).toContain('"run","--project=!together*","tests/faults/kills.test.ts"]');
});

test('npm run check includes the unit tests, unless --without-tests is given', () => {
  const titles = (args: readonly string[]): readonly string[] => {
    const plan = planCommand('check', args, checkout, {});
    return 'steps' in plan ? plan.steps.map(({ title }) => title) : [];
  };
  expect(titles([])).toEqual(['unit tests', 'types', 'lint', 'format', 'unused code', 'commits']);
  expect(titles(['--without-tests'])).toEqual(['types', 'lint', 'format', 'unused code', 'commits']);
});
