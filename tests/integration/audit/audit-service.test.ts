import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getCheckpointFile, readCheckpointFile } from '@signalbox/safety/audit/checkpoint-file';
import { CheckpointLine } from '@signalbox/safety/audit/checkpoint';
import { appendAudit } from '@signalbox/store/audit/audit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, until } from '../../support/until.ts';
import { openTerminal } from '../cli/terminal.ts';
import { openJobsBench, type JobsBench } from '../jobs/bench.ts';
import { exampleEvent } from './harness.ts';

let bench: JobsBench;
let dir: string;
beforeEach(async () => {
  bench = await openJobsBench();
  dir = bench.wiring.audit.AUDIT_CHECKPOINT_DIR;
});
afterEach(() => bench.close());

const SETTINGS = { AUDIT_CHECKPOINT_MS: '0', JOBS_POOLS: 'maintenance' };

async function append(count: number): Promise<void> {
  await appendAudit(
    bench.pool,
    Array.from({ length: count }, (_, i) => exampleEvent(i)),
  );
}

async function readSigned(): Promise<number> {
  let size = 0;
  for await (const line of readCheckpointFile(getCheckpointFile(dir))) size = line.size;
  return size;
}

const verify = () => openTerminal({ DATABASE_URL: bench.databaseUrl, ...bench.wiring.audit })('audit', 'verify');

describe('the job service', () => {
  it('seals and signs audit events with a key file that only it can read', async () => {
    await bench.startService(SETTINGS);
    await append(12);
    await eventually(readSigned, (size) => size === 12);
    expect(await verify()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/12 events in order[^]*up to event 12\./),
    });
    expect(statSync(bench.wiring.audit.AUDIT_KEY_FILE).mode & 0o777).toBe(0o600);
    const { rows } = await bench.pool.query<{ text: string }>(
      'select string_agg(c::text, $1) as text from audit_checkpoints c',
      [''],
    );
    expect(rows[0]?.text).not.toContain('PRIVATE');
  });

  it('keeps its signing key over a restart, and another job service takes over when it ends', async () => {
    const first = await bench.startService(SETTINGS);
    await append(3);
    await eventually(readSigned, (size) => size === 3);
    await bench.startService(SETTINGS);
    await first.close();
    await append(4);
    await eventually(readSigned, (size) => size === 7);
    expect((await verify()).code).toBe(0);
  });

  it('notifies an operator and signs nothing while the database is behind the last checkpoint', async () => {
    const before = await bench.startService(SETTINGS);
    await append(9);
    await eventually(readSigned, (size) => size === 9);
    await before.close();
    await bench.pool.query(
      `set session_replication_role = 'replica';
       delete from audit_checkpoints; delete from audit_chain where seq > 5; delete from audit_events where event_id > 5;
       reset session_replication_role`,
    );
    await append(2);
    const behind = await bench.startService(SETTINGS);
    const letter = await until(async () => {
      const { rows } = await bench.pool.query<{ reason: string }>(
        `select reason from dead_letters where ref = 'audit.seal'`,
      );
      return rows[0]?.reason;
    });
    expect(letter).toMatch(/differs from what was signed: 9 events were signed at .*, and the database has 5/);
    const metrics = await fetch(`http://127.0.0.1:${behind.probePort}/metrics`).then((answer) => answer.text());
    expect(metrics).toMatch(/^signalbox_audit_problems_total\S* 1$/m);
    expect(await verify()).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Event 6: rolled back\.[^]*2 events not sealed yet/),
    });
    expect(await readSigned()).toBe(9);
    await behind.close();

    // What an operator does after a restore that was meant.
    renameSync(getCheckpointFile(dir), join(dir, 'before-the-restore.jsonl'));
    await bench.startService(SETTINGS);
    await eventually(readSigned, (size) => size === 7);
    expect((await verify()).code).toBe(0);
  });

  it('posts each checkpoint into the audit chat, where it verifies like a checkpoint of the file', async () => {
    await bench.startService({ ...SETTINGS, AUDIT_CHAT: 'telegram:-100200' });
    await append(5);
    const text = await until(async () => {
      const { rows } = await bench.pool.query<{ text: string }>(
        `select body ->> 'text' as text from outbox where chat_key = 'telegram:-100200'`,
      );
      return rows[0]?.text;
    });
    const posted = CheckpointLine.parse(JSON.parse(/```json\n(.*)\n```/.exec(text)?.[1] ?? ''));
    expect(posted.leaves).toBe('');
    // The file is written after the chat.
    const line = await until(async () => {
      for await (const one of readCheckpointFile(getCheckpointFile(dir))) if (one.size === posted.size) return one;
      return undefined;
    });
    expect({ ...posted, leaves: '' }).toEqual({ ...line, leaves: '' });
  });

  it('does not seal and has no key in a process that runs only commands of agents', async () => {
    await bench.startService({ ...SETTINGS, JOBS_POOLS: 'agents' });
    expect(statSync(bench.wiring.audit.AUDIT_KEY_FILE, { throwIfNoEntry: false })).toBeUndefined();
  });
});
