import { DeployState, type DeployFailure } from '@signalbox/contracts/operations/deploy';
import type { DeployResult } from '@signalbox/contracts/operations/operations';
import type { WorkRow } from '@signalbox/store/deploy/deployments-rows';
import { STATE_WORDS } from '@signalbox/contracts/operations/deploy-words';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';

/** The steps in their order, one piece of the bar each. */
const STEPS: readonly DeployState[] = DeployState.options.slice(
  DeployState.options.indexOf('preparing'),
  DeployState.options.indexOf('succeeded'),
);

/** Lines of a log in a message: no one reads what does not fit a screen. */
const SAID_LINES = 12;
const SAID_LENGTH = 160;

/** The message that is edited while it goes on. */
export function describeProgress(
  row: Pick<WorkRow, 'project' | 'environment' | 'kind' | 'ref' | 'release' | 'state'>,
  ms: number,
): string {
  const { project, environment, kind, state } = row;
  const at = STEPS.indexOf(state);
  const bar = at === -1 ? '' : `${'▰'.repeat(at + 1)}${'▱'.repeat(STEPS.length - at - 1)} `;
  const verb = kind === 'rollback' ? 'Rolling back' : 'Deploying';
  return `⏳ ${verb} **${project}** ${row.release ?? row.ref} in ${environment}\n${bar}${STATE_WORDS[state]} · ${sayDuration(ms)}`;
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
  const [mark, how] = ENDS[state] ?? ['⏳', STATE_WORDS[state]];
  const where = state === 'failed' && failure ? ` while ${STATE_WORDS[failure.state]}` : '';
  return `${mark} ${noun}: **${project}** ${row.release ?? row.ref} in ${environment}\n${how}${where} · ${sayDuration(Math.max(0, ms))}`;
}

const ENDS: Readonly<Partial<Record<DeployState, readonly [mark: string, how: string]>>> = {
  succeeded: ['✅', `${'▰'.repeat(STEPS.length)} done`],
  failed: ['❌', STATE_WORDS.failed],
  rolled_back: ['❌', STATE_WORDS.rolled_back],
  cancelled: ['⏹', STATE_WORDS.cancelled],
  unknown: ['❓', 'not known how it ended; I look again'],
};

/** What came of it: what is true now, and what can be done about it. */
export function describeResult(result: DeployResult): string {
  const { project, environment, release, serving, url, seconds, failure, kind } = result;
  const where = `**${project}** in ${environment}`;
  const took = sayDuration(seconds * SECOND_MS);
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
      return `❌ ${where}: ${describeFailure(result)} The switch was taken back. ${still}${quote(failure)}`;
    case 'failed':
      return `❌ ${where}: ${describeFailure(result)} ${still}${quote(failure)}`;
    case 'unknown':
      return `❓ ${where}: whether ${release ?? 'it'} came to serve is not known, because its server or the proxy does not answer. I look again every half minute and say what I find. ${serving === null ? '' : `${serving} served last.`}`.trim();
    default:
      return `${where} is ${result.state.replace('_', ' ')}.`;
  }
}

/** The same in one short line, for the cards of its approvers. */
export function describeBriefly(result: DeployResult): string {
  const { release, serving, url, seconds } = result;
  const still = serving === null ? 'Nothing serves there.' : `${serving} still serves.`;
  switch (result.state) {
    case 'succeeded':
      return `${release ?? ''} serves at ${url ?? ''}, after ${sayDuration(seconds * SECOND_MS)}.`;
    case 'cancelled':
      return `⏹ Cancelled. ${still}`;
    case 'rolled_back':
      return `❌ ${describeFailure(result)} The switch was taken back. ${still}`;
    case 'failed':
      return `❌ ${describeFailure(result)} ${still}`;
    default:
      return '❓ Whether it came to serve is not known yet; this card will say so.';
  }
}

function describeFailure({ kind, release, failure }: DeployResult): string {
  const what =
    release === null || kind === 'rollback' ? `The ${kind === 'rollback' ? 'rollback' : 'deployment'}` : release;
  if (failure === null) return `${what} failed.`;
  return `${what} failed while ${STATE_WORDS[failure.state]}. ${failure.sentence}`;
}

/** The last lines, each once. Fences cannot be in it: whatever a program writes stays text. */
function quote(failure: DeployFailure | null): string {
  const counts = new Map<string, number>();
  for (const line of failure?.lines ?? []) {
    const count = (counts.get(line) ?? 0) + 1;
    counts.delete(line); // its place is that of the last time
    counts.set(line, count);
  }
  if (counts.size === 0) return '';
  const shown = [...counts].slice(-SAID_LINES).map(([line, count]) => {
    const short = line.length > SAID_LENGTH ? `${line.slice(0, SAID_LENGTH)} …` : line;
    return `${short}${count > 1 ? ` (${count} ×)` : ''}`.replaceAll('```', "'''");
  });
  return `\n\`\`\`\n${shown.join('\n')}\n\`\`\``;
}
