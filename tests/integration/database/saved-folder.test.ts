import { join } from 'node:path';
import { prepareKeyFiles } from '@signalbox/local/setup/key-files';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import { ExecutionTurn } from '@signalbox/contracts/governance/execution-turn';
import { createSecretCipher } from '@signalbox/safety/secrets/cipher';
import { loadSecretsKey } from '@signalbox/safety/secrets/key';
import { DATABASE_SERVICES, getServiceRole } from '@signalbox/store/migrations/service-rights';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../support/database.ts';
import { openTerminal } from '../cli/terminal.ts';
import { dropCopy, restoreSavedFolder, SAVED_FOLDERS } from '../../support/saved-folder.ts';
import { openStack, type Stack } from '../../support/stack.ts';
import { eventually } from '../../support/until.ts';

/** Passes with a decided call of conversations that began after the upgrade. */
const NEW_TURNS = `select e.turn_id, e.pass, e.record, e.record_hash from execution_turns e join threads t using (thread_id)
  where e.record -> 'calls' -> 0 -> 'decided' ->> 'decision' is not null and t.created_at > now() - interval '30 minutes'
  order by e.recorded_at`;

// Data folders of earlier releases, with conversations, a deployment, a secret, a lost card and a request that waits for two people. The
// stack goes through every recorded turn when it is closed, those of the old release too.
describe.each(SAVED_FOLDERS)('a data folder from an older release (%s)', (folder) => {
  let stack: Stack;
  let dataDir: string;
  let database: TestDatabase;
  let ben: Awaited<ReturnType<Stack['person']>>;
  beforeAll(async () => {
    const saved = await restoreSavedFolder(folder);
    database = saved.database;
    dataDir = saved.dataDir;
    const keys = prepareKeyFiles(dataDir);
    stack = await openStack({
      database: saved.database,
      simulatorDir: join(dataDir, 'simulator'),
      jobs: true,
      env: {
        AUDIT_CHECKPOINT_DIR: join(dataDir, 'audit'),
        AUDIT_KEY_FILE: keys.audit,
        AUDIT_CHECKPOINT_MS: '200',
        SECRETS_KEY: '',
        SECRETS_KEY_FILE: keys.secrets,
        THREAD_IDLE_MINUTES: '100000000', // however old the folder is, its conversations are not over
      },
    });
    ben = await stack.person(1002);
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await dropCopy(database);
  });

  const find = async (sql: string): Promise<unknown> => (await stack.pool.query(sql)).rows;

  it('has a secret that the new release decrypts, and accepts new secrets', async () => {
    await ben.ask('/secret set newer qrstuvwxyzabcdef');
    const { rows } = await stack.pool.query<{ user_key: string; handle: string; ciphertext: Buffer }>(
      'select * from secrets order by created_at',
    );
    const cipher = createSecretCipher(loadSecretsKey({ SECRETS_KEY_FILE: join(dataDir, 'keys/secrets/secrets.key') }));
    expect(rows.map((row) => cipher.open(row.ciphertext, { handle: row.handle, userKey: row.user_key }))).toEqual([
      'abcdefghijklmnop',
      'qrstuvwxyzabcdef',
    ]);
  });

  it('has a pending approval that still takes votes, and can be rejected', async () => {
    const [ada, cleo] = [await stack.person(1001), await stack.person(1003)];
    expect(await find('select status from approvals')).toEqual([{ status: 'pending' }]);
    await ada.click('Approve');
    await ada.waitFor(/Approved by .*1 of 2/s);
    await cleo.click('Reject');
    await cleo.waitFor(/why do you reject/);
    await cleo.ask('not today');
    await ben.waitFor(/Cleo.* rejected .*not today/s);
    expect(await find('select status from approvals')).toEqual([{ status: 'rejected' }]);
  });

  it('has bank cards that can still be chosen', async () => {
    const cleo = await stack.person(1003);
    expect(await find('select count(*)::int as n from cards')).toEqual([{ n: 10 }]);
    expect((await cleo.clickAndWait('Debit card ending in 4403')).join()).toMatch(/4403/);
  });

  it('has a conversation that continues in the same thread', async () => {
    const threads = await find(`select thread_id from threads where user_key = '1002'`);
    expect((await ben.ask('list the projects')).join()).toContain('demo');
    expect(await find(`select thread_id from threads where user_key = '1002'`)).toEqual(threads);
  });

  it('has recorded turns of which none replays differently, and those that cannot be replayed say why', async () => {
    const { out } = await openTerminal({ DATABASE_URL: stack.databaseUrl })('replay', 'all');
    expect(out).toMatch(
      /came out the same( \(\d+ recorded under other versions\))?, 0 differently, \d+ could not be replayed/,
    );
    const reasons = out.split('\n').flatMap((line) => /not replayable: (.*)/.exec(line)?.[1] ?? []);
    expect(reasons).toContain('made before provenance by value');
    for (const reason of reasons) expect(reason).toMatch(/^(made before provenance by value|it follows turn_\w+,)/);
  });

  it.each<[string, string, (record: ExecutionTurn) => unknown]>([
    [
      'effect of the decision about',
      'decision',
      ({ calls }) => calls.forEach(({ decided }) => decided && Object.assign(decided.decision, { effect: 'deny' })),
    ],
    [
      'rule of the decision about',
      'rule',
      ({ calls }) => calls.forEach(({ decided }) => decided && Object.assign(decided.decision, { rule: 'mine' })),
    ],
    [
      'messages that|proposal of|system prompt of',
      'call',
      ({ answer }) =>
        answer?.calls.forEach((call) => Object.assign(call, { args: { ...call.args, project: 'other' } })),
    ],
    [
      'result of',
      'result',
      ({ calls }) => calls.forEach((call) => Object.assign(call.result, { ok: !call.result.ok })),
    ],
    ['verdict of the judge', 'verdict', (record) => Object.assign(record, { outcome: 'limit' })],
    ['record in the audit', 'text', ({ calls }) => calls.forEach((call) => (call.durationMs += 1))],
  ])(
    'fails its replay, which names the %s, when the %s of a turn recorded since is forged',
    async (what, _, change) => {
      if (((await find(NEW_TURNS)) as unknown[]).length === 0) {
        await ben.ask('/new');
        await ben.ask('list the projects');
      }
      const { rows } = await stack.pool.query<{ turn_id: string; pass: number; record: unknown; record_hash: string }>(
        `${NEW_TURNS} limit 1`,
      );
      const [old] = rows;
      if (!old) throw new Error('this release decided nothing');
      const put = (record: unknown, hash: string): Promise<unknown> =>
        stack.pool.query(
          'update execution_turns set record = $1::json, record_hash = $2 where turn_id = $3 and pass = $4',
          [JSON.stringify(record), hash, old.turn_id, old.pass],
        );
      const forged = ExecutionTurn.parse(old.record);
      change(forged);
      await put(forged, hashCanonical(forged));
      try {
        const { code, out } = await openTerminal({ DATABASE_URL: stack.databaseUrl })('replay', old.turn_id);
        expect(code).toBe(1);
        expect(out).toMatch(new RegExp(`${old.turn_id}  DIFFERENT[^:]*: (${what})`));
      } finally {
        await put(old.record, old.record_hash);
      }
    },
  );

  it('has an audit trail that verifies, across the events of the old and the new release', async () => {
    const verify = openTerminal({
      DATABASE_URL: stack.databaseUrl,
      AUDIT_CHECKPOINT_DIR: join(dataDir, 'audit'),
      AUDIT_KEY_FILE: join(dataDir, 'keys/audit/signing-key.pem'),
    });
    const whole = async (): Promise<boolean> => {
      const { rows } = await stack.pool.query<{ count: string }>('select count(*) from audit_events');
      const { code, out } = await verify('audit', 'verify');
      return code === 0 && out.includes(`${rows[0]?.count} events in order`);
    };
    await eventually(whole, Boolean, 30_000);
  });

  it('is used by each service through its own database login', async () => {
    const logins = DATABASE_SERVICES.map(getServiceRole);
    const seen = async (): Promise<readonly string[]> => {
      const { rows } = await stack.pool.query<{ usename: string }>(
        `select distinct usename from pg_stat_activity where datname = current_database() and application_name ~ '^signalbox-(gateway|worker|jobs)'`,
      );
      return rows.map(({ usename }) => usename).toSorted();
    };
    // A service that has nothing to do gives its connections back, and looks for work every quarter of a minute.
    await eventually(seen, (found) => found.join() === logins.toSorted().join(), 40_000);
  });
});
