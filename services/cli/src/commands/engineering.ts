import { AppError } from '@signalbox/contracts/errors';
import { createChangeStore, type ChangeStep, type CodeChange } from '@signalbox/store/engineering/changes';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatList, formatTime } from '../table.ts';

/** Characters of a hash that tell steps apart; `--json` has it whole. */
const SHOWN_HASH = 12;

/** `engineering show`: shows how a change of code was made, step by step. */
export function runEngineering(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { show: { words: 1, run: showChange } });
}

async function showChange(context: CommandContext, word: string): Promise<CommandResult> {
  const changes = createChangeStore(context.database());
  const change = /^[1-9]\d{0,8}$/.test(word) ? await changes.find(Number(word)) : null;
  if (change === null)
    throw new AppError('NOT_FOUND', { kind: 'change', name: word, known: 'see the newest in the chat' });
  const steps = withSeconds(change, await changes.steps(change.changeId));
  const tokens = steps.reduce((sum, step) => sum + step.inputTokens + step.outputTokens, 0);
  const rows = steps.map((step) => [
    step.n,
    step.node,
    step.kind,
    step.inputTokens + step.outputTokens,
    step.seconds.toFixed(1),
    step.hash.slice(0, SHOWN_HASH),
    step.model,
  ]);
  const { changeId, project, state, userKey, createdAt, proposal, outcome, problem } = change;
  const lines = [
    `${changeId}  ${state}`,
    `  project ${project}, person ${userKey}, asked ${formatTime(createdAt)}, ${tokens} tokens`,
    ...(proposal === null ? [] : [`  diff ${proposal.hash} “${proposal.title}”`]),
    ...(outcome === null ? [] : [`  branch ${outcome.branch}, commit ${outcome.commit}`]),
    ...(problem === null ? [] : [`  ${problem}`]),
    '',
    ...formatList(['STEP', 'NODE', 'WHAT', 'TOKENS', 'SECONDS', 'HASH', 'MODEL'], rows, 'No steps yet.'),
  ];
  return { ok: true, data: { ...change, tokens, steps }, lines };
}

/** Adds how long after the step before each step was saved. A step after a question includes the wait for its answer. */
function withSeconds({ createdAt }: CodeChange, steps: readonly ChangeStep[]) {
  return steps.map((step, at) => ({
    ...step,
    seconds: (step.at.getTime() - (steps[at - 1]?.at ?? createdAt).getTime()) / 1_000,
  }));
}
