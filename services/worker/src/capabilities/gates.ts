import { z } from 'zod';
import { GateRequest } from '@signalbox/contracts/operations/gate';
import type { ActionEnvironment } from '@signalbox/contracts/governance/action';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, toolGroup } from '../tools/tool.ts';

/** Environments that certainly serve no customers. Any other name counts as production, whatever its language. */
const TRIAL = /^(?:staging|stage|test|testing|qa|dev|development|preview|review|sandbox|local)(?:[-/ ].*)?$/i;
const SHORT_COMMIT = 12;

const Gate = GateRequest.extend({
  /** Whether the program is that person's own. A name that a pipeline only claims proves nothing. */
  actor_known: z.enum(['yes', 'no']),
});

/** Pipelines ask for it through the ingress: no agent is offered it. */
export default toolGroup({
  name: 'gates',
  summary: 'Let a deployment of another system go on.',
  owner: 'product_owner',
  uses: [],
  tools: {
    pass_gate: tool({
      describe: 'Let one run of a pipeline deploy one commit to one environment.',
      hints: [],
      input: Gate,
      ...CHANGE_DEFAULTS,
      deadlineMs: 5_000,
      risk: ({ actor, actor_known: known }) => ({
        risk: 'dangerous',
        reasons: known === 'yes' ? [] : [say('gate.riskActor', { actor })],
      }),
      environment: ({ environment }) => toEnvironment(environment),
      resources: ({ repository }) => [`repository:${repository}`],
      told: ['repository', 'environment', 'ref', 'run', 'actor'],
      preview: ({ repository, environment, ref, run, actor }) => ({
        what: say('gate.what', { repository, environment }),
        change: say('gate.change', { ref, run, actor }),
        reach: say('gate.reach'),
        undo: say('gate.undo'),
      }),
      // The decision is the whole effect: the pipeline reads it from the ledger.
      run: (gate) => Promise.resolve(toPassed(gate)),
      probe: (gate) => Promise.resolve({ kind: 'done', output: toPassed(gate) }),
      phrases: {
        order: ({ repository, environment }) => say('gate.what', { repository, environment }),
        done: ({ repository, environment, commit, run }) =>
          say('gate.passed', { repository, environment, commit, run }),
      },
    }).from({ repository: 'name', environment: 'name', commit: 'name', run: 'name' }),
  },
});

function toPassed({ repository, environment, commit, run }: z.output<typeof Gate>) {
  return { repository, environment, commit: commit.slice(0, SHORT_COMMIT), run };
}

function toEnvironment(name: string): ActionEnvironment {
  return TRIAL.test(name) ? 'staging' : 'production';
}
