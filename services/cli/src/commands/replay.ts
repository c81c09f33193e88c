import { AppError } from '@signalbox/contracts/errors';
import { readThreadsWithTurns, readTurn } from '@signalbox/store/governance/execution-turns';
import { findDeletedConversation } from '@signalbox/store/retention/retain';
import { loadWorkerParts } from '@signalbox/worker/plugin-parts';
import { createReplayer, type Replayer, type TurnReplay } from '@signalbox/worker/replay/replay';
import { UsageError, type CommandContext, type CommandResult } from '../command.ts';
import { formatCount, formatTime } from '../table.ts';

/** `replay`: runs recorded turns again without effects and reports the first difference. Not ok when any turn differs. */
export async function runReplay(context: CommandContext): Promise<CommandResult> {
  const [what, ...rest] = context.arguments.words;
  if (what === undefined || rest.length > 0) throw new UsageError();
  const pool = context.database();
  const deleted = await findDeletedConversation(pool, what);
  if (deleted !== null) return describeDeleted(what, deleted);
  const { groups, agents } = await loadWorkerParts(context.config.AGENTS);
  const replay = await createReplayer(pool, groups, agents);
  const counts = { same: 0, different: 0, nothing: 0, 'not-replayable': 0 };
  let otherVersions = 0; // Number of equal turns that were recorded with other versions.
  const turns: TurnReplay[] = [];
  for await (const turn of select(context, replay, what)) {
    counts[turn.kind] += 1;
    if (turn.kind === 'same' && turn.otherVersions) otherVersions += 1;
    if (context.arguments.jsonl) context.out(`${JSON.stringify(turn)}\n`);
    else turns.push(turn);
  }
  const ok = counts.different === 0;
  const older = otherVersions > 0 ? ` (${otherVersions} recorded under other versions)` : '';
  const summary =
    `${formatCount(counts.same, 'turn')} came out the same${older}, ${counts.different} differently, ` +
    `${counts['not-replayable']} could not be replayed, ${counts.nothing} had nothing to replay.`;
  const lines = context.arguments.jsonl ? [] : [...turns.map(describe), summary];
  return { ok, data: { ...counts, otherVersions, turns }, lines };
}

/** A conversation that retention deleted. It is no failure: the audit still holds the hashes of its records. */
function describeDeleted(what: string, threadId: string): CommandResult {
  const why = 'deleted by retention, so there is nothing to replay';
  const line = `${what}  ${why}: its audit events remain (\`audit show --thread ${threadId}\`)`;
  return { ok: true, data: { deleted: what, threadId, why }, lines: [line] };
}

async function* select(context: CommandContext, replay: Replayer, what: string): AsyncGenerator<TurnReplay, void> {
  const pool = context.database();
  if (what === 'all') {
    for await (const threadId of readThreadsWithTurns(pool)) yield* replay.thread(threadId);
    return;
  }
  const turn = await readTurn(pool, what);
  const threadId = turn ? turn.threadId : what;
  if (threadId === null) throw new AppError('NOT_FOUND', { kind: 'conversation of', name: what, known: 'it has none' });
  let count = 0;
  for await (const one of replay.thread(threadId, turn?.turnId)) {
    count += 1;
    yield one;
  }
  if (count === 0) throw new AppError('NOT_FOUND', { kind: 'turn or thread', name: what, known: 'see `threads list`' });
}

function describe(turn: TurnReplay): string {
  const head = `${formatTime(turn.startedAt)}  ${turn.turnId}`;
  if (turn.kind === 'same') return `${head}  same${describeVersions(turn.otherVersions ?? [])}`;
  if (turn.kind === 'nothing') return `${head}  nothing to replay: ${turn.why}`;
  if (turn.kind === 'not-replayable') return `${head}  not replayable: ${turn.why}`;
  const { pass, what, recorded, now } = turn.difference;
  return `${head}  DIFFERENT${pass === null ? '' : ` in pass ${pass}`}: ${what}; recorded ${recorded}, now ${now}`;
}

/** Describes which versions differ in an equal turn, and what was therefore not compared. */
function describeVersions(other: NonNullable<Extract<TurnReplay, { kind: 'same' }>['otherVersions']>): string {
  if (other.length === 0) return '';
  const under = `; recorded under another version of the ${other.join(', the ')}`;
  if (other.includes('tools')) return `${under}: system prompts and tools not compared`;
  return other.includes('prompt') ? `${under}: system prompts not compared` : under;
}
