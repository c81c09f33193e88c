import { randomUUID } from 'node:crypto';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import { createLog } from '@signalbox/platform/log';
import { openPool, type Pool } from '@signalbox/store/pool';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import type { CallScope } from '@signalbox/governance/calls/call';
import { tool, toolGroup, type ToolSpec } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { governanceOver, scopeOfAda, shippedPolicy } from '../../support/governance.ts';

export const Input = z.object({ name: z.string().min(1) });

/** A database in which Ada holds her lane, and calls of one tool. Its hooks are those of the describe block that calls it. */
export function useCallBench() {
  const log = createLog('test', 'silent');
  let database: TestDatabase;
  let pool: Pool;
  let policy: PolicyEngine;
  let flushed = 0;
  const ran: string[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    policy = await shippedPolicy();
    pool = openPool(database.url, log, { name: 'test', max: 10, as: 'owner' });
    await pool.query(
      `insert into lanes (user_key, epoch, worker, lease_until) values ('1', 7, 'w', now() + interval '1 hour')`,
    );
    await pool.query(`insert into users (user_key, channel, name, role) values ('1', 'telegram', 'Ada', 'developer')`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    ran.length = 0;
    flushed = 0;
  });

  /** One tool named act, in the group test; everything not given is plain. */
  const parts = (spec: Partial<ToolSpec<typeof Input, unknown>> = {}): GovernanceDeps =>
    governanceOver(
      pool,
      [
        toolGroup({
          name: 'test',
          summary: 'test',
          uses: ['projects'],
          tools: {
            act: tool({
              describe: 'acts',
              hints: ['act'],
              input: Input,
              risk: 'sensitive',
              role: 'developer',
              egress: false,
              deadlineMs: 2_000,
              replay: 'harmless',
              run: async ({ name }) => {
                ran.push(name);
                return { did: name };
              },
              phrases: { done: (_output, { name }) => `Did ${name}.` },
              ...spec,
            }).from('outside'),
          },
        }),
      ],
      policy,
    );
  const scope = (changes: Partial<CallScope> = {}): CallScope =>
    scopeOfAda({
      flush: async () => void (flushed += 1),
      flushWith: (write) => ((flushed += 1), write(null)),
      ...changes,
    });
  const call = (actionId: string = randomUUID(), args: unknown = { name: 'x' }) => ({
    actionId,
    tool: 'act',
    args,
    groups: ['test'],
  });
  const ledger = async (actionId: string): Promise<{ status: string; error_code: string | null }[]> =>
    (
      await pool.query<{ status: string; error_code: string | null }>(
        'select status, error_code from actions where action_id = $1',
        [actionId],
      )
    ).rows;
  const leaveStarted = async (actionId: string): Promise<void> => {
    await pool.query(
      `insert into actions (action_id, turn_id, thread_id, user_key, tool, arguments, epoch, status) values ($1, 't', 'user_1_1', '1', 'act', '{"name": "x"}', 6, 'started')`,
      [actionId],
    );
  };

  return {
    ran,
    parts,
    scope,
    call,
    ledger,
    leaveStarted,
    flushed: () => flushed,
    query: (text: string, values: readonly unknown[] = []) => pool.query(text, [...values]),
  };
}
