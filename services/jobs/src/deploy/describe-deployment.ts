import { DeployState, type DeployFailure } from '@signalbox/contracts/operations/deploy';
import type { DeployResult } from '@signalbox/contracts/operations/operations';
import type { FullDeploymentRow } from '@signalbox/store/deploy/deployments-rows';
import { sayDeployState } from '@signalbox/messages/deploy-state';
import { SECOND_MS } from '@signalbox/contracts/time';
import { sayDuration } from '@signalbox/messages/duration';
import { isHarmlessText, isStrictName } from '@signalbox/contracts/governance/outside';
import { say } from '@signalbox/messages/say';

/** Deployment states in order; each is one segment of the progress bar. */
const STEPS: readonly DeployState[] = DeployState.options.slice(
  DeployState.options.indexOf('preparing'),
  DeployState.options.indexOf('succeeded'),
);

/** Maximum number of log lines in a message, so that it fits on a screen. */
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_LENGTH = 160;

export function describeProgress(
  row: Pick<FullDeploymentRow, 'project' | 'environment' | 'kind' | 'ref' | 'release' | 'state'>,
  ms: number,
): string {
  const { project, environment, kind, state } = row;
  const at = STEPS.indexOf(state);
  const bar = at === -1 ? '' : `${'▰'.repeat(at + 1)}${'▱'.repeat(STEPS.length - at - 1)} `;
  const head = say('deployment.progress', { kind, project, release: row.release ?? row.ref, environment });
  return `${head}\n${bar}${sayDeployState(state)} · ${sayDuration(ms)}`;
}

/** Describes the end of a deployment for the progress message. Equal rows give equal texts. */
export function describeDeployEnd(
  row: Pick<
    FullDeploymentRow,
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
  const [mark, how] = endOf(state);
  const head = say('deployment.ended', { mark, kind, project, release: row.release ?? row.ref, environment });
  const isFailed = state === 'failed' && failure !== null;
  const took = sayDuration(Math.max(0, ms));
  return `${head}\n${say('deployment.endedHow', { how, isFailed, state: failure ? sayDeployState(failure.state) : '', took })}`;
}

function endOf(state: DeployState): readonly [mark: string, how: string] {
  switch (state) {
    case 'succeeded':
      return ['✅', say('deployment.done', { bar: '▰'.repeat(STEPS.length) })];
    case 'failed':
    case 'rolled_back':
      return ['❌', sayDeployState(state)];
    case 'cancelled':
      return ['⏹', sayDeployState(state)];
    case 'unknown':
      return ['❓', say('deployment.endUnknown')];
    default:
      return ['⏳', sayDeployState(state)];
  }
}

export function describeResult(result: DeployResult): string {
  const { project, environment, serving, failure, kind, replaced } = result;
  const release = result.release ?? '';
  const of = { project, environment };
  const took = sayDuration(result.seconds * SECOND_MS);
  const still = sayStill(serving);
  switch (result.state) {
    case 'succeeded': {
      const undo = { isUndoable: replaced !== null, replaced: replaced ?? '' };
      return say('deployment.succeeded', { ...of, kind, release, url: result.url ?? '', took, ...undo });
    }
    case 'cancelled':
      return say('deployment.cancelled', { ...of, kind, took, still });
    case 'rolled_back':
      return say('deployment.rolledBack', { ...of, failure: describeFailure(result), still }) + quote(failure);
    case 'failed':
      return say('deployment.failed', { ...of, failure: describeFailure(result), still }) + quote(failure);
    case 'unknown': {
      const served = { isServing: serving !== null, serving: serving ?? '' };
      return say('deployment.unknown', { ...of, hasRelease: result.release !== null, release, ...served });
    }
    default:
      return say('deployment.underWay', { ...of, state: sayDeployState(result.state) });
  }
}

/** True when the sentences of a result quote nothing that others wrote: no log, and versions and names of a strict form. */
export function isOwnResult({ project, failure, release, serving, replaced }: DeployResult): boolean {
  return (
    failure === null && isStrictName(project) && [release, serving, replaced].every((one) => isHarmlessText(one ?? ''))
  );
}

export function summarizeResult(result: DeployResult): string {
  const { release, serving, url, seconds } = result;
  const still = sayStill(serving);
  switch (result.state) {
    case 'succeeded': {
      const took = sayDuration(seconds * SECOND_MS);
      return say('deployment.succeededBriefly', { release: release ?? '', url: url ?? '', took });
    }
    case 'cancelled':
      return say('deployment.cancelledBriefly', { still });
    case 'rolled_back':
      return say('deployment.rolledBackBriefly', { failure: describeFailure(result), still });
    case 'failed':
      return say('deployment.failedBriefly', { failure: describeFailure(result), still });
    default:
      return say('deployment.unknownBriefly');
  }
}

function sayStill(serving: string | null): string {
  return say('deployment.still', { isServing: serving !== null, serving: serving ?? '' });
}

function describeFailure({ kind, release, failure }: DeployResult): string {
  return say('deployment.failure', {
    isNamed: release !== null && kind !== 'rollback',
    release: release ?? '',
    kind,
    isKnown: failure !== null,
    state: failure ? sayDeployState(failure.state) : '',
    sentence: failure?.sentence ?? '',
  });
}

/** Matches a stack frame of Node, Java or .NET. */
const FRAME = /^\s+at \S/;

function dropNoise(lines: readonly string[]): readonly string[] {
  return lines.filter((line, n) => line.trim() !== '' && !(FRAME.test(line) && FRAME.test(lines[n - 1] ?? '')));
}

function quote(failure: DeployFailure | null): string {
  const counts = new Map<string, number>();
  for (const line of dropNoise(failure?.lines ?? [])) {
    const count = (counts.get(line) ?? 0) + 1;
    counts.delete(line); // Deleting the entry moves the line to its last position.
    counts.set(line, count);
  }
  return quoteLines([...counts].slice(-MAX_SHOWN_LINES));
}

/** Formats log lines with their counts as a code block. Replaces backtick fences, so that output cannot close the block. */
export function quoteLines(lines: readonly (readonly [line: string, count: number])[]): string {
  if (lines.length === 0) return '';
  const shown = lines.map(([line, count]) => {
    const short = line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)} …` : line;
    return `${short}${count > 1 ? ` (${count} ×)` : ''}`.replaceAll('```', "'''");
  });
  return `\n\`\`\`\n${shown.join('\n')}\n\`\`\``;
}
