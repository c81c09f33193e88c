import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { Pool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { loadPolicySet, readPolicyFolder } from '@signalbox/safety/policy/policy-set';
import { POLICY_FOLDER } from '@signalbox/safety/policy/settings';
import { redactValue } from '@signalbox/safety/redact/redact';
import type { GovernanceDeps } from '@signalbox/governance/deps';
import { createPhaseMachine } from '@signalbox/worker/loop/fsm';
import type { Ports } from '@signalbox/worker/tools/ports/ports';
import { createRegistry } from '@signalbox/worker/tools/registry';
import type { ToolRunDeps } from '@signalbox/worker/tools/run';
import { createTools } from '@signalbox/worker/tools/tools';
import type { CallScope } from '@signalbox/governance/calls/call';
import type { ToolGroup } from '@signalbox/worker/tools/tool';

const log = createLog('test', 'silent');
let engine: Promise<PolicyEngine> | undefined;

/** The product's own policies, loaded once per file. */
export function shippedPolicy(): Promise<PolicyEngine> {
  engine ??= readPolicyFolder(POLICY_FOLDER)
    .then((files) => loadPolicySet(files, 'UTC'))
    .then((set) => set.engine);
  return engine;
}

/** What governance needs, over a real database and these groups. */
export function governanceOver(
  pool: Pool,
  groups: readonly ToolGroup[],
  policy: PolicyEngine,
  { ports, enqueue, work, look, ...changes }: Partial<GovernanceDeps & ToolRunDeps> = {},
): GovernanceDeps {
  const runs: ToolRunDeps = {
    pool,
    ports: ports ?? ({ projects: { list: () => Promise.resolve([]) } } as unknown as Ports), // the only one that such tests touch
    enqueue: enqueue ?? (() => Promise.resolve({ runId: 'r' })),
    work: work ?? (() => Promise.reject(new Error('no job is expected'))),
    look: look ?? (() => Promise.resolve({ kind: 'unknown' })),
  };
  return {
    pool,
    lockPool: pool,
    tools: createTools(createRegistry(groups), runs),
    limits: { callsPerHour: null, tokensPerDay: null, costUsdPerDay: null },
    policy: () => policy,
    redact: redactValue,
    notify: () => Promise.resolve(),
    ...changes,
  };
}

/** A turn of Ada, a developer, whose lane 1 is held under epoch 7, with an answer of the model just in. */
export function scopeOfAda(changes: Partial<CallScope> = {}): CallScope {
  const machine = createPhaseMachine();
  machine.to('THINKING');
  machine.to('PROPOSING');
  return {
    lane: { userKey: '1', epoch: '7' },
    now: () => new Date(),
    turnId: 'turn_1',
    turnKey: 'telegram:100:1',
    threadId: 'user_1_1',
    chatKey: 'telegram:1',
    traceId: 'trc',
    actor: { userKey: '1', name: 'Ada', role: 'developer' },
    signal: new AbortController().signal,
    log,
    inGroup: false,
    agent: { id: 'product_owner', class: 'CONTROL_PLANE' },
    enter: machine.to,
    flush: () => Promise.resolve(),
    flushWith: (write) => write(null),
    say: () => Promise.resolve(),
    ...changes,
  };
}
