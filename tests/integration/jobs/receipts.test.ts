import { putCards, updateCards } from '@signalbox/store/governance/approval-cards';
import { findApproval, insertApproval, noteOutcomeLine } from '@signalbox/store/governance/approvals';
import { AppError } from '@signalbox/contracts/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEXED, openJobsBench, until, type JobsBench } from './bench.ts';

const ASKER = 'telegram:1001';
const APPROVER = 'telegram:1003';
const GROUP = 'telegram:-1009/7';
const CHATS = [ASKER, APPROVER, GROUP];

let bench: JobsBench;
beforeEach(async () => {
  bench = await openJobsBench(undefined, { standsFor: 'deploy' });
});
afterEach(() => bench.close());

/** An action that was approved, begun, and is carried on by a run; its cards stand in three chats. */
async function approve(actionId: string): Promise<string> {
  const { pool } = bench;
  const approvalId = `apv_${actionId}`;
  await pool.query(
    `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status)
     values ($1, 'turn_1', 'thr_1', '1001', 'trigger_deploy', '{}', 1, 'done')`,
    [actionId],
  );
  const card = { what: 'Deploy shop', change: '', reach: 'all', undo: 'none', why: 'policy', requester: 'Ada' };
  await insertApproval(pool, {
    approvalId,
    actionId,
    userKey: '1001',
    chatKey: ASKER,
    threadId: 'thr_1',
    turnId: 'turn_1',
    traceId: 'trc_1',
    hash: 'h',
    rule: 'r',
    policy: 'p',
    needed: 1,
    role: 'operator',
    solo: false,
    byRequester: false,
    authors: ['1001'],
    card: { ...card, changedFrom: null },
    expiresMs: 60_000,
  });
  const approval = await findApproval(pool, approvalId);
  if (!approval) throw new Error('the approval was not written');
  await putCards(pool, approval, [], CHATS);
  await pool.query(`insert into approval_votes (approval_id, user_key, name) values ($1, '1003', 'Cleo')`, [
    approvalId,
  ]);
  await pool.query(`update approvals set status = 'consumed' where approval_id = $1`, [approvalId]);
  return approvalId;
}

/** What the worker does when the tool has answered. */
async function receipt(approvalId: string, line: string): Promise<void> {
  await noteOutcomeLine(bench.pool, approvalId, line);
  await updateCards(bench.pool, approvalId);
}

/** The newest state of each card. */
async function cards(): Promise<readonly string[]> {
  const { rows } = await bench.pool.query<{ text: string }>(
    `select distinct on (chat_key) body ->> 'text' as text from outbox where slot like 'apv_%' order by chat_key, id desc`,
  );
  return rows.map(({ text }) => text);
}
const changes = async (): Promise<number> =>
  (await bench.pool.query(`select 1 from outbox where slot like 'apv_%'`)).rowCount ?? 0;
const ended = (runId: string) => until(async () => (await bench.runs.find(runId))?.finishedAt ?? null);

describe('the approval card of an action that started a run', () => {
  it('says how the run ended, in every chat that shows the card', async () => {
    const approvalId = await approve('act_1');
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    bench.startRunner(async () => {
      await gate;
      return INDEXED;
    });
    await bench.ask('act_1');
    await receipt(approvalId, '**shop** is on its way. I tell you how it ends.');
    expect(await cards()).toHaveLength(CHATS.length);
    for (const text of await cards()) expect(text).toMatch(/Approved by Cleo \(id \w+\)\. In progress/);
    go();
    await ended('act_1');
    for (const text of await cards()) {
      expect(text).toContain('✅ **Deploy shop**');
      expect(text).toMatch(/Approved by Cleo \(id \w+\)\. Result: Indexed\./);
      expect(text).not.toContain('In progress; this card');
    }
  });

  it('says why the run failed', async () => {
    const approvalId = await approve('act_1');
    bench.startRunner(() => Promise.reject(new AppError('NO_CAPACITY', { detail: 'No room.' })));
    await receipt(approvalId, 'on its way');
    await bench.ask('act_1');
    await ended('act_1');
    for (const text of await cards()) {
      expect(text).toMatch(/^❌ \*\*Deploy shop\*\*/);
      expect(text).toMatch(/Approved by Cleo \(id \w+\)\. Indexing failed: No room\./);
    }
  });

  it('says that the run was cancelled, even when it had not started', async () => {
    const approvalId = await approve('act_1');
    await bench.ask('act_1');
    await receipt(approvalId, 'on its way');
    expect(await bench.runs.cancel('act_1', '1001')).toMatchObject({ kind: 'cancelled', cards: CHATS.toSorted() });
    for (const text of await cards())
      expect(text).toMatch(/^⏹ [\s\S]*Approved by Cleo \(id \w+\)\. .* was cancelled\./);
  });

  it('is not reset by a worker that writes the receipt of the action late, or twice', async () => {
    const approvalId = await approve('act_1');
    bench.startRunner(() => Promise.resolve(INDEXED));
    await bench.ask('act_1');
    await ended('act_1');
    const before = await changes();
    await receipt(approvalId, 'on its way');
    await receipt(approvalId, 'on its way');
    expect(await changes()).toBe(before);
    for (const text of await cards()) expect(text).toContain('Result: Indexed.');
  });

  it('keeps the result of an action that waited for its run', async () => {
    const approvalId = await approve('act_1');
    bench.startRunner(() => Promise.resolve(INDEXED));
    const run = { runId: 'act_1', job: 'knowledge.index', payload: {}, person: null, threadId: null, traceId: 'trc' };
    await bench.runs.create(run);
    await bench.queue.enqueue('knowledge.index', { runId: 'act_1', traceId: 'trc' });
    await ended('act_1');
    await receipt(approvalId, 'It ran and said hello.');
    for (const text of await cards()) expect(text).toContain('Result: It ran and said hello.');
  });

  it('changes again when a later run of the same deployment ends with another result', async () => {
    const approvalId = await approve('act_1');
    bench.startRunner(() => Promise.reject(new AppError('NO_CAPACITY', { detail: 'No room.' })));
    await receipt(approvalId, 'on its way');
    await bench.ask('act_1');
    await ended('act_1');
    const person = { userKey: '1001', chatKey: ASKER };
    const payload = { deploymentId: 'act_1' };
    const later = { runId: 'act_1:2', job: 'knowledge.index', payload, person, threadId: null, traceId: 'trc' };
    await bench.runs.create(later);
    const begun = await bench.runs.begin('act_1:2', 1_000);
    if (begun.kind !== 'held') throw new Error('not held');
    const end = { outcome: 'done', result: null, error: null, say: 'Long.\nLonger.', brief: 'It serves.' } as const;
    expect(await bench.runs.finish(begun.run, end)).toMatchObject({ recorded: true, cards: CHATS.toSorted() });
    for (const text of await cards()) {
      expect(text).toContain('✅');
      expect(text).toContain('Result: It serves.');
      expect(text).not.toContain('Longer');
    }
    expect(await bench.runs.finish(begun.run, end)).toMatchObject({ recorded: false, cards: [] });
  });
});
