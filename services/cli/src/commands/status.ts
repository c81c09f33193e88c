import { readWorkOverview, type WorkOverview } from '@signalbox/store/turns/overview';
import { probeServices, readRunningServices } from '../checks/running-services.ts';
import type { CommandContext, CommandResult } from '../command.ts';
import { formatCount, formatAge, formatTable, formatTime, formatSection } from '../table.ts';

/** Shows current activity of all people or one, and the processes of `npm start`. */
export async function runStatus(context: CommandContext): Promise<CommandResult> {
  const { person = null } = context.arguments;
  const overview = await readWorkOverview(context.database(), person);
  const run = person === null ? await readRunningServices(context.config.runFile) : null;
  const processes = (run ? await probeServices(run) : []).map(({ what: name, say }) => ({ name, say }));
  const lines = [
    ...describeOverview(overview),
    ...formatSection('processes', ['NAME', 'STATE'], processes, ({ name, say }) => [name, say]),
  ];
  return { ok: true, data: { ...overview, processes }, lines };
}

function describeOverview(overview: WorkOverview): readonly string[] {
  const { turns, parkedChats, jobs, deadLetters } = overview;
  return [
    ...formatTable(
      ['WHAT', 'NOW', 'OLDEST'],
      [
        ['people active within an hour', overview.peopleActive, ''],
        ['turns running', turns.length, formatAge(oldestTurnMs(overview))],
        ['messages without an outcome', overview.messagesOpen, formatAge(overview.oldestMessageMs)],
        ['replies to deliver', overview.outboxPending, formatAge(overview.oldestReplyMs)],
        ['parked chats', parkedChats.length, ''],
        ['dead letters', deadLetters, ''],
      ],
    ),
    ...formatSection('turns', ['PERSON', 'NAME', 'WORKER', 'SINCE', 'MESSAGES'], turns, (turn) => [
      turn.userKey,
      turn.name,
      turn.worker,
      turn.since && formatTime(turn.since),
      turn.waiting,
    ]),
    ...formatSection('jobs (finished ones of the last day)', ['JOB', 'STATUS', 'COUNT'], jobs, (job) => [
      job.job,
      job.status,
      job.count,
    ]),
    ...formatSection('parked chats', ['CHAT', 'SINCE', 'REASON'], parkedChats, (chat) => [
      chat.chatKey,
      formatTime(chat.since),
      chat.reason,
    ]),
    ...(deadLetters > 0 ? ['', `${formatCount(deadLetters, 'dead letter')}: see \`dlq list\``] : []),
  ];
}

function oldestTurnMs({ turns }: WorkOverview): number | null {
  const since = turns[0]?.since;
  return since ? Date.now() - since.getTime() : null;
}
