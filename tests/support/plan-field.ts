import { AppError } from '@signalbox/contracts/errors';
import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { createLog } from '@signalbox/platform/log';
import type { Pool } from '@signalbox/store/pool';
import { RunStore } from '@signalbox/store/turns/runs';
import { createJobClient } from '@signalbox/worker/tools/job-client';
import { READ_DEFAULTS, tool, toolGroup, type ToolGroup } from '@signalbox/worker/tools/tool';
import { z } from 'zod';
import { governanceOver } from './governance.ts';

/** A change outside of the product, under the key of its action. A key that comes twice is two changes. */
export interface Change {
  readonly key: string;
  readonly hadIntent: boolean;
}

/** The tools of generated plans, over a target that remembers every change. `afterChange`: the last place where a worker may die. */
export function planGroup(pool: Pool, changes: Change[], afterChange: () => void): ToolGroup {
  const change = async (key: string): Promise<void> => {
    const { rows } = await pool.query<{ status: string }>('select status from actions where action_id = $1', [key]);
    changes.push({ key, hadIntent: rows[0]?.status === 'started' });
    afterChange();
  };
  const common = {
    describe: 'A tool of a test.',
    hints: [],
    role: 'developer',
    egress: false,
    deadlineMs: 5_000,
  } as const;
  const probe = (_: unknown, { actionId }: { readonly actionId: string }) =>
    Promise.resolve(
      changes.some(({ key }) => key === actionId)
        ? { kind: 'done' as const, output: { did: true } }
        : { kind: 'not-done' as const },
    );
  const input = z.object({ name: z.string() });
  const run = async (_: unknown, { actionId }: { readonly actionId: string }) => {
    await change(actionId);
    return { did: true };
  };
  const phrases = { done: () => 'Did it.' };
  return toolGroup({
    name: 'test',
    summary: 'test',
    uses: [],
    tools: {
      act: tool({ ...common, input, risk: 'sensitive', replay: 'unknown', run, probe, phrases }).from('runtime'),
      act_blindly: tool({ ...common, input, risk: 'sensitive', replay: 'unknown', run, phrases }).from('runtime'),
      risk_it: tool({ ...common, input, risk: 'dangerous', replay: 'unknown', run, probe, phrases }).from('runtime'),
      fail: tool({
        ...common,
        input,
        risk: 'sensitive',
        replay: 'harmless',
        run: ({ name }) => Promise.reject(new AppError('NOT_FOUND', { kind: 'thing', name, known: 'none' })),
        probe: () => Promise.resolve({ kind: 'not-done' as const }),
        phrases,
      }).from('outside'),
      look: tool({
        ...common,
        ...READ_DEFAULTS,
        input: z.object({ healthy: z.boolean() }),
        run: ({ healthy }) => Promise.resolve({ healthy }),
        meets: { healthy: ({ healthy }) => healthy },
        phrases,
      }).from('runtime'),
      work: tool({
        ...common,
        input: z.object({ ends: z.enum(['done', 'failed', 'cancelled']) }),
        risk: 'sensitive',
        replay: 'harmless',
        run: async (_, { enqueue }) => {
          afterChange();
          await enqueue('knowledge.index', {});
          return { started: true };
        },
        probe: async (_, { worked }) => {
          const found = await worked('knowledge.index');
          return found.kind === 'done' ? { kind: 'done', output: { started: true } } : found;
        },
        phrases,
      }).from('runtime'),
    },
  });
}

/** Governance of a worker over this pool, with these tools and jobs that only a job service does. */
export function planGovernance(db: Pool, groups: readonly ToolGroup[], policy: PolicyEngine): GovernanceDeps {
  const log = createLog('test', 'silent');
  const queue = { enqueue: () => Promise.resolve() };
  const ports = {
    projects: { list: () => Promise.resolve([]) },
  } as unknown as NonNullable<Parameters<typeof governanceOver>[3]>['ports']; // plans are never probed here
  const jobs = createJobClient({ runs: new RunStore(db), queue, log });
  return governanceOver(db, groups, policy, { ...jobs, ...(ports ? { ports } : {}) });
}
