import type { DeployFailure, DeployState } from '@signalbox/shared/contracts/deploy';
import type { DeployResult } from '@signalbox/shared/contracts/operations';
import type { WorkRow } from '@signalbox/shared/db/deployments-rows';
import { inWords, SECOND_MS } from '@signalbox/shared/time';

/** The steps in their order, as people read them. */
const STEPS = [
  ['preparing', 'looking whether it can begin'],
  ['building', 'building'],
  ['starting', 'starting'],
  ['health_checking', 'waiting until it is healthy'],
  ['switching', 'switching the requests over'],
  ['verifying', 'looking at what serves'],
  ['draining', 'letting the old instance finish'],
] as const satisfies readonly (readonly [DeployState, string])[];

const OTHER_STEPS: Readonly<Partial<Record<DeployState, string>>> = {
  queued: 'waiting for its turn',
  failing: 'taking it back',
  cancelling: 'ending what was begun',
  unknown: 'finding out how it is',
};

/** Lines of a log in a message: what does not fit a screen nobody reads. */
const SAID_LINES = 12;
const SAID_LENGTH = 160;

/** The message that is edited while it goes on. */
export function describeProgress(
  row: Pick<WorkRow, 'project' | 'environment' | 'kind' | 'ref' | 'release' | 'state'>,
  ms: number,
): string {
  const { project, environment, kind, state } = row;
  const at = STEPS.findIndex(([step]) => step === state);
  const step = STEPS[at]?.[1] ?? OTHER_STEPS[state] ?? state;
  const bar = at === -1 ? '' : `${'▰'.repeat(at + 1)}${'▱'.repeat(STEPS.length - at - 1)} `;
  const verb = kind === 'rollback' ? 'Rolling back' : 'Deploying';
  return `⏳ ${verb} **${project}** ${row.release ?? row.ref} in ${environment}\n${bar}${step} · ${inWords(ms)}`;
}

/** What the message that was edited says in the end. The same row gives the same words. */
export function describeEnded(
  row: Pick<
    WorkRow,
    | 'project'
    | 'environment'
    | 'kind'
    | 'ref'
    | 'release'
    | 'state'
    | 'failure'
    | 'startedAt'
    | 'stateAt'
    | 'requestedAt'
  >,
): string {
  const { project, environment, kind, state, failure } = row;
  const ms = row.stateAt.getTime() - (row.startedAt ?? row.requestedAt).getTime();
  const noun = kind === 'rollback' ? 'Rollback' : 'Deployment';
  const step = STEPS.find(([name]) => name === failure?.state)?.[1];
  const [mark, how] = ENDS[state] ?? ['⏳', OTHER_STEPS[state] ?? state];
  const where = state === 'failed' && step ? ` while ${step}` : '';
  return `${mark} ${noun}: **${project}** ${row.release ?? row.ref} in ${environment}\n${how}${where} · ${inWords(Math.max(0, ms))}`;
}

const ENDS: Readonly<Partial<Record<DeployState, readonly [mark: string, how: string]>>> = {
  succeeded: ['✅', `${'▰'.repeat(STEPS.length)} done`],
  failed: ['❌', 'failed'],
  rolled_back: ['❌', 'failed after the switch, which was taken back'],
  cancelled: ['⏹', 'cancelled'],
  unknown: ['❓', 'not known how it ended; I look again'],
};

/** What came of it: what is true now, and what can be done about it. */
export function describeResult(result: DeployResult): string {
  const { project, environment, release, serving, url, seconds, failure, kind } = result;
  const where = `**${project}** in ${environment}`;
  const took = inWords(seconds * SECOND_MS);
  const still = serving === null ? 'Nothing serves there.' : `${serving} still serves.`;
  switch (result.state) {
    case 'succeeded': {
      const verb = kind === 'rollback' ? 'Rolled back' : 'Deployed';
      const undo =
        result.replaced === null
          ? ''
          : ` To undo it: “roll back ${project} in ${environment}” (${result.replaced} served before).`;
      return `✅ ${verb} ${where}: ${release ?? ''} serves at ${url ?? ''}, after ${took}.${undo}`;
    }
    case 'cancelled':
      return `⏹ Cancelled the ${kind === 'rollback' ? 'rollback' : 'deployment'} of ${where} after ${took}; all that was begun is ended. ${still}`;
    case 'rolled_back':
      return `❌ ${where}: ${describeFailure(failure)} The switch was taken back. ${still}${quote(failure)}`;
    case 'failed':
      return `❌ ${where}: ${describeFailure(failure)} ${still}${quote(failure)}`;
    case 'unknown':
      return `❓ ${where}: whether ${release ?? 'it'} came to serve is not known, because its server or the proxy does not answer. I look again every half minute and say what I find. ${serving === null ? '' : `${serving} served last.`}`.trim();
    default:
      return `${where} is ${result.state.replace('_', ' ')}.`;
  }
}

/** The same in one short line, for the card of whoever approved it. */
export function describeBriefly(result: DeployResult): string {
  const { release, serving, url, failure, seconds } = result;
  const still = serving === null ? 'Nothing serves there.' : `${serving} still serves.`;
  switch (result.state) {
    case 'succeeded':
      return `${release ?? ''} serves at ${url ?? ''}, after ${inWords(seconds * SECOND_MS)}.`;
    case 'cancelled':
      return `⏹ Cancelled. ${still}`;
    case 'rolled_back':
      return `❌ ${describeFailure(failure)} The switch was taken back. ${still}`;
    case 'failed':
      return `❌ ${describeFailure(failure)} ${still}`;
    default:
      return '❓ Whether it came to serve is not known yet; this card will say so.';
  }
}

function describeFailure(failure: DeployFailure | null): string {
  if (failure === null) return 'it failed.';
  const step = STEPS.find(([state]) => state === failure.state)?.[1];
  return `${failure.sentence}${step ? ` (while ${step})` : ''}`;
}

/** Fences cannot be in it: whatever a program writes stays text. */
function quote(failure: DeployFailure | null): string {
  const lines = failure?.lines.slice(-SAID_LINES) ?? [];
  if (lines.length === 0) return '';
  const shown = lines.map((line) =>
    (line.length > SAID_LENGTH ? `${line.slice(0, SAID_LENGTH)} …` : line).replaceAll('```', "'''"),
  );
  return `\n\`\`\`\n${shown.join('\n')}\n\`\`\``;
}
