import { readThreadsWithTurns } from '@signalbox/store/governance/execution-turns';
import type { Pool } from '@signalbox/store/pool';
import type { AgentPlugin } from '@signalbox/worker/agents/agent';
import { createReplayer, type TurnReplay } from '@signalbox/worker/replay/replay';
import type { ToolGroup } from '@signalbox/worker/tools/tool';
import { sampleParts } from './samples.ts';

/**
 * Goes through every turn of a database again, without a tool and without a model, and throws when one comes out otherwise. Called
 * at the end of every test of the whole product.
 */
export async function checkReplay(
  pool: Pool,
  groups: readonly ToolGroup[],
  agents: readonly AgentPlugin[] = [],
): Promise<void> {
  const replay = await createReplayer(pool, [...sampleParts.groups, ...groups], [...sampleParts.agents, ...agents]);
  const problems: TurnReplay[] = [];
  for await (const threadId of readThreadsWithTurns(pool))
    for await (const turn of replay.thread(threadId)) if (!isFine(turn)) problems.push(turn);
  if (problems.length > 0) throw new Error(`turns that do not replay:\n${JSON.stringify(problems, null, 2)}`);
}

/**
 * What this process had recorded has to have its versions; only what an earlier release left may have others, or be from before provenance
 * by value. A turn that follows such a turn cannot be replayed either.
 */
function isFine(turn: TurnReplay): boolean {
  const isOurs = turn.startedAt.getTime() >= performance.timeOrigin;
  if (turn.kind === 'not-replayable')
    return turn.why.startsWith('it follows') || (!isOurs && turn.why === 'made before provenance by value');
  return turn.kind === 'nothing' || (turn.kind === 'same' && !(isOurs && turn.otherVersions));
}
