import type { DeployState } from '@signalbox/contracts/operations/deploy';
import { STATE_WORDS } from '@signalbox/contracts/operations/deploy-words';
import { sayDuration } from '@signalbox/messages/duration';
import type { ToolContext } from '../../tools/tool.ts';

type Found = Awaited<ReturnType<ToolContext['ports']['deployments']['list']>>[number];

/** A deployment as tools give it back: what people and the model read of it. */
export interface DeploymentFacts {
  readonly deployment: string;
  readonly project: string;
  readonly environment: string;
  readonly kind: 'deploy' | 'rollback';
  readonly version: string;
  readonly release: string | null;
  readonly server: string;
  readonly state: DeployState;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly stateSince: string;
  /** How long ago that is, in words, when it was looked up. */
  readonly stateFor: string;
  readonly isServing: boolean;
  readonly isStopping: boolean;
  readonly url: string | null;
  /** Why it came to nothing. */
  readonly failure: string | null;
}

export function factsOf(found: Found, now: Date): DeploymentFacts {
  const { deploymentId, project, environment, kind, ref, release, server, state, failure } = found;
  return {
    deployment: deploymentId,
    project,
    environment,
    kind,
    version: ref,
    release,
    server,
    state,
    askedBy: found.userName,
    askedAt: found.requestedAt.toISOString(),
    stateSince: found.stateAt.toISOString(),
    stateFor: sayDuration(Math.max(0, now.getTime() - found.stateAt.getTime())),
    isServing: found.serving,
    isStopping: found.cancelAt !== null,
    url: found.url,
    failure: failure && `It failed while ${STATE_WORDS[failure.state]}. ${failure.sentence}`,
  };
}

/** One line about a deployment: what, where, how it stands, who asked for it. */
export function describeDeployment(facts: DeploymentFacts): string {
  const what =
    facts.kind === 'rollback'
      ? `rollback of ${facts.project} to ${facts.version}`
      : `${facts.project} ${facts.version}`;
  const isOver = ['succeeded', 'failed', 'rolled_back', 'cancelled'].includes(facts.state);
  const since = isOver ? `${facts.stateFor} ago` : `for ${facts.stateFor}`;
  const serving = facts.isServing ? ', and it serves now' : '';
  const stopping = facts.isStopping && !isOver ? ', told to stop' : '';
  return `**${what}** in ${facts.environment}: ${STATE_WORDS[facts.state]} ${since}${serving}${stopping}. Asked for by ${facts.askedBy}.`;
}

/** `1.0.0-3f2a9c1` in code, or words for nothing. */
export function code(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ')}\``;
}

/** Lines of outside in a block that they cannot end. */
export function block(lines: readonly string[]): string {
  const text = lines.join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}
