import { z } from 'zod';
import { FORGE_NAMES, GATE_READINGS, GateForge, GateRequest } from '@signalbox/contracts/operations/gate';
import type { ActionEnvironment } from '@signalbox/contracts/governance/action';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, tool, toolGroup } from '../tools/tool.ts';

/** Environments that certainly serve no customers. Any other name counts as production, whatever its language. */
const TRIAL = /^(?:staging|stage|test|testing|qa|dev|development|preview|review|sandbox|local)(?:[-/ ].*)?$/i;
const SHORT_COMMIT = 12;

const Gate = GateRequest.extend({
  /** Whether the program is that person's own. A name that a pipeline only claims proves nothing. */
  actor_known: z.enum(['yes', 'no']),
  /** True when the forge names several people, of whom some are known here. */
  some_known: z.literal(true).optional(),
  /** The forge that vouches for the actor; missing when only the pipeline names one. */
  forge: GateForge.optional(),
  /** Number and titles of the commits since the last deployment of the environment, which their authors wrote. */
  new_commits: z.int().nonnegative().optional(),
  commits: z.string().max(2_000).optional(),
  checks: z.enum(['none', 'pending', 'passed', 'failed']).optional(),
  failed_checks: z.string().max(2_000).optional(),
  /** What could not be read at the forge. */
  unread: z.string().max(80).optional(),
});
type Gate = z.output<typeof Gate>;

/** Paths of repositories and ids of runs take a row more, and titles of commits one each. */
const MORE_ROWS = 7;

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
      risk: (gate) => ({ risk: 'dangerous', reasons: explainActor(gate) }),
      environment: ({ environment }) => toEnvironment(environment),
      resources: ({ repository }) => [`repository:${repository}`],
      told: ['repository', 'environment', 'ref', 'run', 'actor'],
      derived: ['actor_known', 'some_known', 'forge', 'new_commits', 'checks', 'unread'],
      preview: (gate) => ({
        what: say('gate.what', { repository: gate.repository, environment: gate.environment }),
        change: describeChange(gate),
        reach: say('gate.reach'),
        undo: say('gate.undo'),
        rows: MORE_ROWS,
        isFixed: true,
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

/** Says what nobody has proved about who asks; nothing when a person is known. */
function explainActor({ actor, actor_known: known, some_known: some, forge, unread }: Gate): readonly string[] {
  if (known === 'yes') return [];
  if (forge === undefined) return [say('gate.riskActor', { actor })];
  const names = { actor, forge: FORGE_NAMES[forge] };
  if (listUnread(unread).includes('run')) return [say('gate.riskUnread', names)];
  return [say(some ? 'gate.riskSeveral' : 'gate.riskUnlinked', names)];
}

/** Says which run asks, and what was read of it at the forge in time. */
function describeChange({ ref, run, actor, forge, ...read }: Gate): string {
  const { new_commits: count, checks, unread } = read;
  const lost = forge === undefined ? [] : listUnread(unread).map((one) => say(`gate.read-${one}`));
  return [
    say('gate.change', { ref, run, actor }),
    ...(count === undefined ? [] : [say('gate.commits', { count })]),
    ...(checks === undefined ? [] : [say('gate.checks', { state: checks })]),
    ...(lost.length === 0 ? [] : [say('gate.unread', { what: lost.join(', ') })]),
  ].join('; ');
}

function listUnread(unread: string | undefined) {
  return GATE_READINGS.filter((one) => unread?.split(' ').includes(one));
}

function toPassed({ repository, environment, commit, run }: Gate) {
  return { repository, environment, commit: commit.slice(0, SHORT_COMMIT), run };
}

function toEnvironment(name: string): ActionEnvironment {
  return TRIAL.test(name) ? 'staging' : 'production';
}
