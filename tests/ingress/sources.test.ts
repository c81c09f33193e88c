import { AppError } from '@signalbox/contracts/errors';
import { registerSources } from '@signalbox/gateway/channels/ingress/accounts';
import { readSources, type IngressSource } from '@signalbox/gateway/channels/ingress/sources';
import { createLog } from '@signalbox/platform/log';
import { linkIdentity } from '@signalbox/store/people/identities';
import { grantUserRole } from '@signalbox/store/people/users';
import { openPool, type Pool } from '@signalbox/store/pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { OTHER_SECRET, SECRET } from './program.ts';
import { writeSources } from './sources-file.ts';

const SERVICE = { name: 'CI', role: 'developer' };
const CI = { name: 'ci', secret: SECRET, serviceAccount: SERVICE };

const problemsOf = (sources: unknown): string => {
  try {
    readSources(writeSources(sources));
    return '';
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
};

describe('a file of event sources', () => {
  test('is loaded with its secrets, accounts and callbacks', () => {
    const callbacks = ['https://a.example.org/x', 'http://127.0.0.1:9000/y'];
    const alarms = { name: 'alarms', secret: OTHER_SECRET, actsFor: '1001', callbacks };
    expect(readSources(writeSources([{ ...CI, previousSecret: `${SECRET}-old` }, alarms]))).toEqual({
      programs: [
        { name: 'ci', secrets: [SECRET, `${SECRET}-old`], account: { kind: 'service', ...SERVICE }, callbacks: [] },
        { name: 'alarms', secrets: [OTHER_SECRET], account: { kind: 'person', userKey: '1001' }, callbacks },
      ],
      alarms: [],
      forges: [],
    });
  });

  test.each([
    ['nonsense', 'nonsense', 'is not JSON'],
    ['an object', {}, 'expected array'],
    ['a short secret', [{ ...CI, secret: 'short' }], '[0].secret: has fewer than 32 characters'],
    ['no secret', [{ ...CI, secret: undefined }], '[0].secret'],
    ['the same secret as before', [{ ...CI, previousSecret: SECRET }], '[0].previousSecret: is the same as secret'],
    ['a name in capitals', [{ ...CI, name: 'CI' }], '[0].name: must have at most 32'],
    ['a name with a slash', [{ ...CI, name: 'a/b' }], '[0].name: must have at most 32'],
    ['a name twice', [CI, { ...CI, secret: OTHER_SECRET }], '[1].name: belongs to two sources'],
    ['a secret twice', [CI, { ...CI, name: 'b' }], '[1].secret: is also a secret of another source'],
    [
      'an old secret that is the new one of another',
      [CI, { ...CI, name: 'b', secret: OTHER_SECRET, previousSecret: SECRET }],
      '[1].secret: is also a secret of another source',
    ],
    ['an admin', [{ ...CI, serviceAccount: { name: 'CI', role: 'admin' } }], 'A program cannot be an admin'],
    ['nobody to act for', [{ ...CI, serviceAccount: undefined }], 'needs either actsFor or serviceAccount'],
    ['two to act for', [{ ...CI, actsFor: '1001' }], 'needs either actsFor or serviceAccount'],
    ['a person that is none', [{ ...CI, serviceAccount: undefined, actsFor: 'a b' }], 'is not the key of a person'],
    ['an address without encryption', [{ ...CI, callback: 'http://ci.example.org/' }], 'has to begin with https://'],
    ['an address of this machine by name', [{ ...CI, callback: 'http://localhost/' }], 'has to begin with https://'],
    ['an address that only looks local', [{ ...CI, callback: 'http://127.0.0.1.example.org/' }], 'https://'],
    ['a file as an address', [{ ...CI, callback: 'file:///etc/passwd' }], 'has to begin with https://'],
    ['no address', [{ ...CI, callback: 'ci' }], 'is not a valid URL'],
    [
      'an address with a password',
      [{ ...CI, callback: 'https://a:b@ci.example.org/' }],
      'must not contain a user name',
    ],
    ['two ways to name addresses', [{ ...CI, callback: 'https://a/', callbacks: ['https://b/'] }], 'not both'],
    ['a field that we do not know', [{ ...CI, roles: ['admin'] }], 'Unrecognized key: "roles"'],
  ])('with %s is refused with a remedy, and without showing a secret', (_, sources, problem) => {
    const problems = problemsOf(sources);
    expect(problems).toContain('INGRESS_SOURCES_FILE: ');
    expect(problems).toContain(problem);
    expect(problems).not.toContain(SECRET);
    expect(problems).not.toContain(OTHER_SECRET);
  });

  test('that does not exist is named in the error', () => {
    expect(() => readSources('/nowhere/sources.json')).toThrow('/nowhere/sources.json cannot be read');
  });

  test('is refused with a list of all its problems', () => {
    const problems = problemsOf([{ ...CI, name: '', secret: 'x' }, { name: 'b' }]);
    expect(problems.split('; ').length).toBeGreaterThanOrEqual(3);
  });
});

describe('the accounts of event sources', () => {
  const log = createLog('test', 'silent');
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, log, { name: 'test', max: 4, as: 'gateway' });
    for (const [userKey, role] of [
      ['1001', 'admin'],
      ['1002', 'operator'],
    ] as const)
      await grantUserRole(pool, { userKey, channel: 'telegram', name: userKey, role });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const service = (role: 'viewer' | 'developer' | 'operator'): IngressSource => ({
    name: 'ci',
    secrets: [SECRET],
    account: { kind: 'service', name: 'CI', role },
    callbacks: [],
  });
  const actsFor = (userKey: string): IngressSource => ({ ...service('viewer'), account: { kind: 'person', userKey } });
  const rows = async (): Promise<unknown> =>
    (
      await pool.query<{ row: string }>(
        `select concat_ws(' ', user_key, role, person, case when is_program then 'program' end) as row from users order by user_key`,
      )
    ).rows.map(({ row }) => row);
  const audited = async (): Promise<readonly unknown[]> => {
    const owner = openPool(database.url, log, { name: 'audit', max: 1, as: 'owner' });
    const { rows: found } = await owner.query<{ row: string }>(
      `select concat_ws(' ', actor, data ->> 'person', coalesce(data ->> 'from', '-'), coalesce(data ->> 'to', '-')) as row
         from audit_events where kind = 'role.changed' order by event_id`,
    );
    await owner.end();
    return found.map(({ row }) => row);
  };

  // Each step goes on from the one before: that is what files do.
  test('follow the sources file, however it changes, without changing the role of a person', async () => {
    const people = ['1001 admin 1001', '1002 operator 1002'];
    const after = async (...sources: readonly IngressSource[]): Promise<unknown> => {
      await registerSources(pool, sources, log);
      return rows();
    };
    expect(await after(service('developer'))).toEqual([...people, 'ingress-ci developer ingress-ci program']);
    expect(await after(service('developer'))).toEqual([...people, 'ingress-ci developer ingress-ci program']);
    expect(await after(service('viewer'))).toEqual([...people, 'ingress-ci viewer ingress-ci program']);
    expect(await after(actsFor('1001'))).toEqual([...people, 'ingress-ci admin 1001 program']);
    expect(await after(actsFor('1002'))).toEqual([...people, 'ingress-ci operator 1002 program']);
    expect(await after(actsFor('9999'))).toEqual(people);
    expect(await after(actsFor('1001'))).toEqual([...people, 'ingress-ci admin 1001 program']);
    expect(await after(service('operator'))).toEqual([...people, 'ingress-ci operator ingress-ci program']);
    expect(await after(actsFor('1001'))).toEqual([...people, 'ingress-ci admin 1001 program']);
    expect(await after()).toEqual(people);
    expect(await after(service('viewer'))).toEqual([...people, 'ingress-ci viewer ingress-ci program']);
    expect(await after()).toEqual(people);
    expect(await audited()).toEqual([
      'system ingress-ci - developer',
      'system ingress-ci developer viewer',
      'system ingress-ci viewer -',
      'system ingress-ci - admin',
      'system ingress-ci admin -',
      'system ingress-ci - operator',
      'system ingress-ci operator -',
      'system ingress-ci - admin',
      'system ingress-ci admin -',
      'system ingress-ci - operator',
      'system ingress-ci operator -',
      'system ingress-ci - admin',
      'system ingress-ci admin -',
      'system ingress-ci - viewer',
      'system ingress-ci viewer -',
    ]);
  });

  test('that act for a person are found by any identity of the person', async () => {
    await linkIdentity(pool, { userKey: 'web-1001', channel: 'web', name: 'Ada' }, '1001');
    await registerSources(pool, [actsFor('web-1001')], log);
    expect(await rows()).toContain('ingress-ci admin 1001 program');
    await registerSources(pool, [], log);
  });

  test('are created once by gateways that start at the same time', async () => {
    const before = (await audited()).length;
    await Promise.all(Array.from({ length: 3 }, () => registerSources(pool, [service('developer')], log)));
    expect((await audited()).length).toBe(before + 1);
  });
});
