import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toEventJson } from '@signalbox/safety/audit/event-json';
import { hashLeaf, hashLink } from '@signalbox/safety/audit/merkle';
import { appendAudit } from '@signalbox/store/audit/audit';
import { readChain } from '@signalbox/store/audit/audit-chain';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyFiles } from '../../../infra/audit/verify.mjs';
import { openTerminal } from '../cli/terminal.ts';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

const SIZE = 60;
let harness: AuditHarness;
let signalbox: ReturnType<typeof openTerminal>;

beforeAll(async () => {
  harness = await openAuditHarness();
  for (let n = 0; n < SIZE; n += 20) {
    await appendAudit(
      harness.pool,
      Array.from({ length: 20 }, (_, i) => exampleEvent(n + i + 1)),
    );
    await harness.sealAll();
  }
  const keyFile = join(harness.dir, 'signing-key.pem');
  writeFileSync(
    `${keyFile}.pub`,
    [...harness.keys.values()].map((key) => String(key.export({ type: 'spki', format: 'pem' }))).join(''),
  );
  signalbox = openTerminal({ DATABASE_URL: harness.databaseUrl, AUDIT_CHECKPOINT_DIR: harness.dir });
});
afterAll(() => harness.close());

/** Computes all places anew over what stands in the events now, as somebody would who wants to hide what he did. */
async function rehash(db: Queryable): Promise<void> {
  let chain: Buffer = Buffer.alloc(0);
  for (const { seq, event } of await readChain(db, 0, 1_000)) {
    const leaf = hashLeaf(event ? toEventJson(event) : '');
    chain = hashLink(chain, leaf);
    await db.query('update audit_chain set leaf_hash = $2, hash = $3 where seq = $1', [seq, leaf, chain]);
  }
}

const renumber = `update audit_chain c set seq = -n.place from (select seq, row_number() over (order by seq) as place from audit_chain) n
  where n.seq = c.seq and c.seq <> n.place`;

/** What a superuser does with the triggers off, and where it has to be noticed. */
const DEEDS: readonly {
  readonly what: string;
  readonly sql: readonly string[];
  readonly seq: number;
  readonly problem: string;
  readonly hide?: boolean;
}[] = [
  {
    what: 'another actor',
    sql: [`update audit_events set actor = '666' where event_id = 17`],
    seq: 17,
    problem: 'edited',
    hide: true,
  },
  {
    what: 'another time, a microsecond later',
    sql: [`update audit_events set recorded_at = recorded_at + interval '1 microsecond' where event_id = 30`],
    seq: 30,
    problem: 'edited',
    hide: true,
  },
  {
    what: 'the same time before Christ',
    sql: [
      `update audit_events set recorded_at = (to_char(recorded_at, 'YYYY-MM-DD HH24:MI:SS.US') || ' BC')::timestamptz where event_id = 31`,
    ],
    seq: 31,
    problem: 'edited',
  },
  {
    what: 'a number that programs read as the same',
    sql: [
      `update audit_events set data = jsonb_set(data, '{arguments,share}', '0.14285714285714285000000000001') where event_id = 1`,
    ],
    seq: 1,
    problem: 'edited',
  },
  {
    what: 'no approval',
    sql: [`update audit_events set approval_id = null where event_id = 40`],
    seq: 40,
    problem: 'edited',
    hide: true,
  },
  {
    what: 'one event less',
    sql: ['delete from audit_chain where seq = 21', 'delete from audit_events where event_id = 21'],
    seq: 21,
    problem: 'missing',
  },
  {
    what: 'an event without its place',
    sql: ['delete from audit_events where event_id = 59'],
    seq: 59,
    problem: 'missing',
  },
  {
    what: 'two events in each other’s place',
    sql: [
      'update audit_chain set event_id = -event_id where seq in (5, 45)',
      `update audit_chain set event_id = case seq when 5 then 45 else 5 end where seq in (5, 45)`,
    ],
    seq: 5,
    problem: 'swapped',
    hide: true,
  },
  {
    what: 'nothing after event 33',
    sql: ['delete from audit_chain where seq > 33', 'delete from audit_events where event_id > 33'],
    seq: 34,
    problem: 'truncated',
  },
  {
    what: 'the state after event 20',
    sql: [
      'delete from audit_chain where seq > 20',
      'delete from audit_events where event_id > 20',
      'delete from audit_checkpoints where size > 20',
    ],
    seq: 21,
    problem: 'rolled back',
  },
  {
    what: 'nothing at all',
    sql: ['truncate audit_chain, audit_events, audit_checkpoints'],
    seq: 1,
    problem: 'rolled back',
  },
];

describe('a database superuser who switches the audit triggers off', () => {
  it.each(
    DEEDS.flatMap((deed) =>
      [false, true].filter((hidden) => !hidden || deed.hide).map((hidden) => ({ ...deed, hidden })),
    ),
  )('cannot hide $what from the audit verification (rehashed: $hidden)', async ({ sql, seq, problem, hidden }) => {
    const undo = new Error('undone');
    const attempt = withTransaction(harness.owner, async (db) => {
      await db.query(`set local session_replication_role = 'replica'`);
      for (const statement of sql) await db.query(statement);
      if (hidden) await rehash(db);
      const verdict = await harness.verify(db);
      expect(verdict).toMatchObject({ ok: false, finding: { seq, problem } });
      throw undo;
    });
    await expect(attempt).rejects.toBe(undo);
    expect(await harness.verify()).toMatchObject({ ok: true, events: SIZE, covered: SIZE });
  });

  it('cannot renumber the audit events after a deletion', async () => {
    const undo = new Error('undone');
    const attempt = withTransaction(harness.owner, async (db) => {
      await db.query(`set local session_replication_role = 'replica'`);
      await db.query('alter table audit_chain drop constraint audit_chain_seq_check');
      await db.query('delete from audit_chain where seq = 21');
      await db.query(renumber);
      await db.query('update audit_chain set seq = -seq where seq < 0');
      await rehash(db);
      expect(await harness.verify(db)).toMatchObject({ ok: false, finding: { seq: 21, problem: 'missing' } });
      throw undo;
    });
    await expect(attempt).rejects.toBe(undo);
  });
});

describe('signalbox audit', () => {
  it('verify reports how many events are in order, covered by a checkpoint and unsealed', async () => {
    const { code, out } = await signalbox('audit', 'verify');
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^60 events in order \(.* events\/s\)\.\nCovered .* up to event 60\.\n$/),
    });
    expect((await signalbox('audit', 'verify', '--json')).json).toMatchObject({
      ok: true,
      unsealed: { unsealed: 0, strays: [], lost: 0 },
    });
  });

  it('show filters events, newest last, and includes unsealed events', async () => {
    const { json } = await signalbox('audit', 'show', '--thread', 'thr_3', '--kind', 'action', '--json');
    const seqs = (json as { seq: number; threadId: string }[]).map(({ seq }) => seq);
    expect(seqs).toEqual([3, 14, 25, 36, 47, 58]);
    const { out } = await signalbox('audit', 'show', '--person', 'system', '--since', '1h', '--limit', '2');
    expect(out).toMatch(/SEQ +TIME +EVENT +BY +ABOUT +WHAT\n55 .*system.*safe-reads · Reading changes nothing\.\n60 /);
    expect(await signalbox('audit', 'show', '--since', 'yesterday')).toMatchObject({
      code: 2,
      error: expect.stringContaining('90m or 1d'),
    });
    expect((await signalbox('audit', 'show', '--kind', 'grant')).out).toBe('Nothing was recorded that fits.\n');
  });

  it('export verifies with and without the product, and an edited export verifies with neither', async () => {
    const [file, key] = [join(harness.dir, 'export.jsonl'), join(harness.dir, 'signing-key.pem.pub')];
    expect((await signalbox('audit', 'export', '--out', file)).out).toContain('60 events written');
    expect(await signalbox('audit', 'verify', '--from', file)).toMatchObject({ code: 0 });
    expect(await verifyFiles(file, harness.file, key)).toEqual({ ok: true, events: 60, covered: 60, finding: null });
    expect((await signalbox('audit', 'export')).out).toBe(readFileSync(file, 'utf8'));
    // Twice the same field: a program reads the second one, a person the first.
    const edited = readFileSync(file, 'utf8').replace('"actor":"1002",', '"actor":"666","actor":"1002",');
    writeFileSync(file, edited);
    const { finding } = await verifyFiles(file, harness.file, key);
    expect(finding).toMatchObject({ seq: 2, problem: 'edited' });
    expect(await signalbox('audit', 'verify', '--from', file)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Event 2: edited\./),
    });
  });

  it('verify detects an event that was inserted by hand, and an event that was deleted before sealing', async () => {
    await harness.owner.query(`insert into audit_events (kind, actor, data) values ('action.settled', '666', '{}')`);
    await appendAudit(harness.pool, [exampleEvent(70), exampleEvent(71)]);
    await harness.owner.query(
      `set session_replication_role = 'replica'; delete from audit_events where (data ->> 'n')::int = 70; reset session_replication_role`,
    );
    const { code, out } = await signalbox('audit', 'verify');
    expect(code).toBe(1);
    expect(out).toMatch(/2 events not sealed yet, the oldest for [\d.]+ s/);
    expect(out).toMatch(/Inserted past the product: 1 event /);
    expect(out).toMatch(/Deleted before they were sealed: 1 event\./);
  });
});
