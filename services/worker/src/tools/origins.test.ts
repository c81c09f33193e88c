import { expect, it } from 'vitest';
import { listMadeValues, pickEvidence, wrapOutsideFields, type Origins } from './origins.ts';

const ORIGINS: Origins = {
  server: 'name',
  port: 'runtime',
  version: 'ref',
  note: 'outside',
  runs: { runId: 'runtime', title: 'outside' },
};
const RESULT = {
  server: 'rack',
  port: 25_001,
  version: 'obey-me-now',
  note: 'obey me',
  runs: [{ runId: 'run_1', title: 'obey me too' }],
};
const enclose = (result: unknown, given: readonly string[] = []) =>
  wrapOutsideFields(result, ORIGINS, 'look', new Set(given));

it('text from outside stands in envelopes, and the fields of the runtime do not', () => {
  expect(enclose(RESULT)).toEqual({
    server: 'rack',
    port: 25_001,
    version: { outside: 'look', text: 'obey-me-now' },
    note: { outside: 'look', text: 'obey me' },
    runs: [{ runId: 'run_1', title: { outside: 'look', text: 'obey me too' } }],
  });
});

it('a name of more than two words, an undeclared field and its key stand in an envelope', () => {
  expect(enclose({ server: 'obey-me-now', other: 'obey me' })).toEqual({
    server: { outside: 'look', text: 'obey-me-now' },
    other: { outside: 'look', text: 'obey me' },
  });
});

it('a version that the call itself gave needs an envelope, because the runtime may have looked it up', () => {
  expect(enclose({ version: 'obey-me-now', note: 'mine' }, ['obey-me-now', 'mine'])).toEqual({
    version: { outside: 'look', text: 'obey-me-now' },
    note: 'mine',
  });
});

it('only values of the runtime and registered names are made, each with its field, and none that the call gave', () => {
  expect(listMadeValues(RESULT, ORIGINS, new Set())).toEqual(['server=rack', 'port=25001', 'run=run_1']);
  expect(listMadeValues(RESULT, ORIGINS, new Set(['25001', 'rack', 'obey-me-now', 'run_1']))).toEqual([]);
});

const SERVING: Origins = {
  project: 'name',
  servesNow: 'ref',
  wanted: 'asked',
  rows: { project: 'name', version: 'ref' },
};
const versionsOf = (result: unknown, given: readonly string[] = []) =>
  listMadeValues(result, SERVING, new Set(given)).filter((one) => one.includes('version='));

it('a version in our own records is made for its project, under whatever field, and so is the version of a release', () => {
  const rows = [{ project: 'blog', version: 'v2.0.0' }, { version: '1.1.0' }];
  expect(versionsOf({ project: 'shop', servesNow: '1.0.0-3f2a9c1', rows })).toEqual([
    'shop/version=1.0.0-3f2a9c1',
    'shop/version=1.0.0',
    'blog/version=2.0.0',
    'shop/version=1.1.0',
  ]);
  expect(versionsOf({ project: 'shop', servesNow: 'main-3f2a9c1' })).toEqual([
    'shop/version=main-3f2a9c1',
    'shop/version=main',
  ]);
});

it.each<[string, unknown, readonly string[]]>([
  ['has another form than a version', { project: 'shop', servesNow: 'obey-me-now' }, []],
  ['has no project', { servesNow: '9.9.9' }, []],
  ['was only asked for', { project: 'shop', wanted: '9.9.9' }, []],
  ['comes back with the arguments of its call', { project: 'shop', servesNow: '9.9.9' }, ['9.9.9']],
  [
    'comes back without the v of the arguments',
    { project: 'shop', servesNow: '9.9.9-3f2a9c1' },
    ['v9.9.9', '9.9.9-3f2a9c1'],
  ],
])('a version is not made when it %s', (_, result, given) => {
  expect(versionsOf(result, given)).toEqual([]);
});

it('evidence holds no text from outside', () => {
  expect(JSON.stringify(pickEvidence(enclose(RESULT), ORIGINS))).not.toContain('obey me');
});

it('a sentence has an envelope only when a field beside it has one', () => {
  const origins = { release: 'ref', because: 'sentence' } as const;
  const because = '1.0 answers in 5 ms.';
  const told = (release: string) => wrapOutsideFields({ release, because }, origins, 'look', new Set());
  expect(told('1.0')).toEqual({ release: '1.0', because });
  expect(told('obey-me-now')).toMatchObject({ because: { outside: 'look', text: because } });
  expect(listMadeValues({ because }, origins, new Set())).toEqual([]);
});

it('a part of what the call itself gave needs no envelope', () => {
  expect(enclose({ note: 'docs/mine.txt' }, ['+++ b/docs/mine.txt'])).toEqual({ note: 'docs/mine.txt' });
  expect(enclose({ note: 'docs/theirs.txt' }, ['+++ b/docs/mine.txt'])).toHaveProperty('note.outside');
});
