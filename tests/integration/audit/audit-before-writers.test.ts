import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabaseHistory } from '@signalbox/cli/audit-database';
import { toCanonicalJson } from '@signalbox/safety/cards/canonical';
import { toEventJson } from '@signalbox/safety/audit/event-json';
import { hashLeaf } from '@signalbox/safety/audit/merkle';
import { appendAudit } from '@signalbox/store/audit/audit';
import { readChain } from '@signalbox/store/audit/audit-chain';
import { migrate } from '@signalbox/store/migrations/migrate';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyFiles, verifyHistory } from '../../../infra/audit/verify.mjs';
import { createDatabase, openRawPool } from '../../support/database.ts';
import { dropCopy, writeSavedMigrations } from '../../support/saved-folder.ts';
import { openTerminal } from '../cli/terminal.ts';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

// An audit that was begun before an event named its writer goes on, and each release verifies what it knows of.
let harness: AuditHarness;

beforeAll(async () => {
  const database = await createDatabase('template0');
  await migrate(database.url, writeSavedMigrations('early'));
  const before = openRawPool(database.url);
  await before.query('select audit_append($1)', [JSON.stringify([1, 2, 3].map(exampleEvent))]);
  await sealAsBefore(before);
  await before.query('select audit_append($1)', [JSON.stringify([exampleEvent(4)])]); // not sealed before the change
  await before.end();
  await migrate(database.url);
  await dropCopy(database);
  harness = await openAuditHarness(Promise.resolve(database));
  await appendAudit(harness.pool, [5, 6].map(exampleEvent));
});
afterAll(() => harness.close());

/** The fields and the text of an event, as releases before the change read and hashed them. */
async function readAsBefore(
  db: pg.Pool = harness.owner,
): Promise<readonly { readonly eventId: string; readonly json: string }[]> {
  const { rows } = await db.query<{ eventId: string; dataJson: string }>(
    `select e.event_id::text as "eventId", (to_jsonb(e.recorded_at at time zone 'UTC') #>> '{}') || 'Z' as "recordedAt", e.kind, e.actor,
            e.thread_id as "threadId", e.turn_id as "turnId", e.action_id as "actionId", e.approval_id as "approvalId",
            e.policy_version as "policyVersion", e.data::text as "dataJson" from audit_events e order by e.event_id`,
  );
  return rows.map(({ dataJson, ...fields }) => ({
    eventId: fields.eventId,
    json: toCanonicalJson({ ...fields, data: JSON.parse(dataJson) as unknown }),
  }));
}

async function sealAsBefore(db: pg.Pool = harness.owner): Promise<void> {
  const { rows } = await db.query<{ seq: number; ids: readonly string[] }>(
    `select (select count(*)::int + 1 from audit_chain) as seq, array_agg(event_id::text order by event_id) as ids from audit_unsealed`,
  );
  const events = (await readAsBefore(db)).filter(({ eventId }) => rows[0]?.ids.includes(eventId));
  const leaves = events.map(({ json }) => hashLeaf(json));
  await db.query('select audit_seal($1, $2, $3)', [rows[0]?.seq, events.map(({ eventId }) => eventId), leaves]);
}

it('the old sealer, which hashes events without their writer, can no longer seal events', async () => {
  await expect(sealAsBefore()).rejects.toThrow(/audit_seal/);
  const leaf = [Buffer.alloc(32)];
  await expect(harness.owner.query(`select audit_seal(4, '{4}', $1, 1)`, [leaf])).rejects.toThrow(/form 2/);
  expect((await harness.owner.query('select from audit_chain')).rowCount).toBe(3);
});

it('old audit events keep their hash, even when they are sealed after the change of the hash format', async () => {
  await harness.sealAll();
  const [before, places] = [await readAsBefore(), await readChain(harness.owner, 0, 100)];
  const now = places.map(({ event }) => (event ? toEventJson(event) : ''));
  expect(now.slice(0, 4)).toEqual(before.slice(0, 4).map(({ json }) => json));
  expect(now.slice(4).map((json) => (JSON.parse(json) as { writtenBy: string }).writtenBy)).toEqual([
    'signalbox_app',
    'signalbox_app',
  ]);
});

it('the new verifier accepts all audit events, and the old verifier accepts the events before the format change', async () => {
  expect(await harness.verify()).toMatchObject({ ok: true, events: 6 });
  const history = await openDatabaseHistory(harness.owner);
  const texts = (await readAsBefore()).map(({ json }) => json);
  const asBefore = {
    ...history,
    keys: harness.keys,
    outside: async function* () {},
    async *events() {
      for await (const place of history.events()) yield { ...place, json: texts[place.seq - 1] ?? null };
    },
  };
  expect(await verifyHistory(asBefore)).toMatchObject({ ok: false, events: 4, finding: { seq: 5 } });
});

it('an export of old and new audit events verifies standalone, unless a writer was removed or added', async () => {
  const [file, key] = [join(harness.dir, 'export.jsonl'), join(harness.dir, 'signing-key.pem.pub')];
  writeFileSync(
    key,
    [...harness.keys.values()].map((one) => String(one.export({ type: 'spki', format: 'pem' }))).join(''),
  );
  const terminal = openTerminal({ DATABASE_URL: harness.databaseUrl, AUDIT_CHECKPOINT_DIR: harness.dir });
  const { out } = await terminal('audit', 'export');
  const verify = (text: string): ReturnType<typeof verifyFiles> => {
    writeFileSync(file, text);
    return verifyFiles(file, harness.file, key);
  };
  expect(await verify(out)).toMatchObject({ ok: true, events: 6, covered: 6 });
  expect(await verify(out.replace(',"writtenBy":"signalbox_app"', ''))).toMatchObject({ finding: { seq: 5 } });
  expect(await verify(out.replace('"turnId":"turn_1"', '"turnId":"turn_1","writtenBy":"signalbox_app"'))).toMatchObject(
    {
      finding: { seq: 1 },
    },
  );
});
