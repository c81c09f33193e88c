import {
  findDeadLetter,
  listDeadLetters,
  resolveDeadLetter,
  retryDeadLetter,
  type DeadLetterRow,
} from '@signalbox/store/conversation/dead-letter-review';
import { withTransaction } from '@signalbox/store/pool';
import { AppError } from '@signalbox/contracts/errors';
import { recordChange } from '../actor.ts';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatList, formatTime } from '../table.ts';
import { wakeTarget } from '../wake-up.ts';

/** Lists and shows dead letters, retries them, or marks them as resolved. */
export function runDeadLetters(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, {
    list: { words: 0, run: listLetters },
    show: { words: 1, run: showLetter },
    retry: { words: 1, run: retryLetter },
    resolve: { words: 1, run: resolveLetter },
  });
}

async function listLetters(context: CommandContext): Promise<CommandResult> {
  const { all, limit } = context.arguments;
  const letters = await listDeadLetters(context.database(), { settled: all, limit });
  const rows = letters.map((letter) => [
    letter.id,
    letter.source,
    letter.userKey,
    formatTime(letter.createdAt),
    letter.resolvedAt === null ? letter.reason : `settled ${formatTime(letter.resolvedAt)}: ${letter.reason}`,
  ]);
  const none = all ? 'There has been no dead letter.' : 'There is no open dead letter.';
  const headings = ['ID', 'SOURCE', 'PERSON', 'SINCE', 'REASON'];
  return { ok: true, data: letters, lines: formatList(headings, rows, none) };
}

async function showLetter(context: CommandContext, id: string): Promise<CommandResult> {
  const letter = (await findDeadLetter(context.database(), id)) ?? throwNotFound(id);
  const lines = [
    `${letter.id}  ${letter.resolvedAt === null ? 'open' : `settled ${formatTime(letter.resolvedAt)}`}`,
    `  source ${letter.source}, ref ${letter.ref}, person ${letter.userKey ?? '–'}, since ${formatTime(letter.createdAt)}`,
    `  reason ${letter.reason}`,
    JSON.stringify(letter.body, null, 2),
  ];
  return { ok: true, data: letter, lines };
}

async function retryLetter(context: CommandContext, id: string): Promise<CommandResult> {
  const result = await withTransaction(context.database(), async (db) => {
    const retried = await retryDeadLetter(db, id);
    if (retried.kind === 'retried')
      await recordChange(db, context.actor, 'dead_letter.settled', { id: retried.letter.id, how: 'retried' });
    return retried;
  });
  switch (result.kind) {
    case 'missing':
      return throwNotFound(id);
    case 'settled':
      return { ok: true, data: result, lines: [describeSettled(result.letter)] };
    case 'refused':
      return { ok: false, data: result, lines: [`${id} cannot be tried again. ${result.reason}`] };
    case 'retried': {
      const woken = await wakeTarget(context, result.wake);
      const what =
        result.wake.kind === 'lane' ? 'The message waits for its turn again' : 'The reply is to be delivered again';
      const how = woken ? 'and was woken.' : 'and will be woken by a sweeper: Redis does not answer.';
      return { ok: true, data: { ...result, woken }, lines: [`${what}, ${how}`] };
    }
  }
}

async function resolveLetter(context: CommandContext, id: string): Promise<CommandResult> {
  const letter = await withTransaction(context.database(), async (db) => {
    const known = await findDeadLetter(db, id);
    const resolved = await resolveDeadLetter(db, id);
    if (resolved && known?.resolvedAt === null)
      await recordChange(db, context.actor, 'dead_letter.settled', { id: resolved.id, how: 'resolved' });
    return resolved ?? throwNotFound(id);
  });
  return { ok: true, data: letter, lines: [describeSettled(letter)] };
}

function describeSettled(letter: DeadLetterRow): string {
  return `${letter.id} is settled since ${letter.resolvedAt === null ? 'just now' : formatTime(letter.resolvedAt)}.`;
}

function throwNotFound(id: string): never {
  throw new AppError('NOT_FOUND', { kind: 'dead letter', name: id, known: 'see `dlq list --all`' });
}
