/*
 * What auditing costs: an append as a ratio to a commit of one row, with one and with two clients at once, while the sealer works;
 * and how long sealing and verifying many events takes. `npm run bench audit -- 100000` takes another number than a million.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { getCheckpointFile, readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import { getKeyId } from '@signalbox/safety/audit/checkpoint';
import { verifyHistory } from '../../infra/audit/verify.mjs';
import { appendAudit } from '@signalbox/store/audit/audit';
import { migrate } from '@signalbox/store/migrations/migrate';
import { openPool, type Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { openDatabaseHistory } from '@signalbox/cli/audit-database';
import { Sealer } from '@signalbox/jobs/audit/audit-sealer';
import type { AuditEvent } from '@signalbox/contracts/governance/audit';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
/** Events that one statement makes: below the time-out of statements on a slow disk. */
const CHUNK = 50_000;
const COMMITS = 400;

const EVENT: AuditEvent = {
  kind: 'action.settled',
  actor: '1001',
  threadId: 'thr_01k9bench',
  turnId: 'turn_01k9bench',
  actionId: 'thr_01k9bench/turn_01k9bench/1',
  approvalId: null,
  policyVersion: 'a'.repeat(64),
  data: {
    tool: 'restart_service',
    rule: 'safe-reads',
    status: 'done',
    arguments: { service: 'api' },
    note: 'x'.repeat(200),
  },
};

const log = createLog('bench', 'silent');
const dir = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
try {
  await migrate(postgres.url);
  const pool = openPool(postgres.url, log, { name: 'bench', max: 4, as: 'owner' });
  await pool.query('create table bench_commit (body jsonb)');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const keys = new Map([[getKeyId(privateKey), publicKey]]);
  const file = getCheckpointFile(dir);
  const sealer = new Sealer({
    pool: openPool(postgres.url, log, { name: 'sealer', max: 1 }),
    key: privateKey,
    keys,
    file,
    checkpointEvents: 1_000,
    checkpointMs: 10_000,
    log,
  });
  await measureAppends(pool, sealer);
  await sealAll(sealer);
  const made = await timed(() => makeEvents(pool));
  const sealed = await timed(() => sealAll(sealer));
  await sealer.close();
  const verified = await timed(async () => {
    const verdict = await verifyHistory({
      ...(await openDatabaseHistory(pool)),
      keys,
      outside: () => readCheckpointFile(file),
    });
    if (!verdict.ok || verdict.events < EVENTS) throw new Error(`not in order: ${JSON.stringify(verdict)}`);
  });
  const row = (what: string, seconds: number): Record<string, string> => ({
    what,
    seconds: seconds.toFixed(1),
    'events/s': Math.round(EVENTS / seconds).toString(),
  });
  console.table([row('written', made), row('sealed and signed', sealed), row('verified', verified)]);
  console.log(`${EVENTS} events; memory of this process: ${Math.round(process.memoryUsage.rss() / 1_048_576)} MB`);
  await pool.end();
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit(0);

/** Both kinds of commits take turns, so that whatever else the machine does falls on both alike. */
async function measureAppends(pool: Pool, sealer: Sealer): Promise<void> {
  const body = JSON.stringify(EVENT);
  const commit = (): Promise<unknown> =>
    pool.query({ name: 'commit', text: 'insert into bench_commit values ($1)', values: [body] });
  const append = (): Promise<unknown> => appendAudit(pool, [EVENT]);
  const stopping = new AbortController();
  const sealing = (async () => {
    while (!stopping.signal.aborted) {
      await sealer.step();
      await new Promise((resolve) => setTimeout(resolve, 250)); // as the job service does
    }
  })();
  const rows: Record<string, string>[] = [];
  const rates: number[] = [];
  for (const clients of [1, 2]) {
    const [commits, appends]: [number[], number[]] = [[], []];
    let appendMs = 0;
    for (let round = -COMMITS / 10; round < COMMITS / clients; round++) {
      const a = await Promise.all(Array.from({ length: clients }, () => timed(commit)));
      const startedAt = performance.now();
      const b = await Promise.all(Array.from({ length: clients }, () => timed(append)));
      if (round < 0) continue;
      appendMs += performance.now() - startedAt;
      commits.push(...a);
      appends.push(...b);
    }
    rates.push((appends.length / appendMs) * 1_000);
    rows.push({
      clients: String(clients),
      'one commit ms': (median(commits) * 1_000).toFixed(2),
      'one append ms': (median(appends) * 1_000).toFixed(2),
      'append ÷ commit': (median(appends) / median(commits)).toFixed(2),
    });
  }
  stopping.abort();
  await sealing;
  console.table(rows);
  console.log(`two clients append ${((rates[1] ?? 0) / (rates[0] ?? 1)).toFixed(2)} × as many events a second as one`);
}

/** As audit_append does, without sending each event through the wire. */
async function makeEvents(pool: Pool): Promise<void> {
  for (let made = 0; made < EVENTS; made += CHUNK) {
    await pool.query(
      `with made as (
         insert into audit_events (kind, actor, thread_id, turn_id, action_id, policy_version, data)
         select $1, $2, $3, $4, $5 || n, $6, $7::jsonb || jsonb_build_object('n', n) from generate_series($8::int, $9::int) n
         returning event_id)
       insert into audit_unsealed select event_id from made`,
      [
        EVENT.kind,
        EVENT.actor,
        EVENT.threadId,
        EVENT.turnId,
        EVENT.actionId,
        EVENT.policyVersion,
        JSON.stringify(EVENT.data),
        made + 1,
        Math.min(made + CHUNK, EVENTS),
      ],
    );
  }
}

async function sealAll(sealer: Sealer): Promise<void> {
  while ((await sealer.step()) === 'busy');
}

/** Seconds that it took. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
