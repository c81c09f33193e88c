import { AppError } from '@signalbox/contracts/errors';
import { readThreadHistory, type ThreadHistory, type TurnHistory } from '../queries/thread-history.ts';
import { listThreads } from '@signalbox/store/conversation/threads';
import { sayDuration } from '@signalbox/messages/duration';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatCount, formatList, formatTime, formatSection } from '../table.ts';

/** Lists conversations, newest first, or shows the turns, actions and replies of one. */
export function runThreads(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, {
    list: { words: 0, run: listConversations },
    show: { words: 1, run: showConversation },
  });
}

async function listConversations(context: CommandContext): Promise<CommandResult> {
  const { person = null, limit } = context.arguments;
  const threads = await listThreads(context.database(), { userKey: person, limit });
  const rows = threads.map((thread) => [
    thread.threadId,
    thread.awaiting ? `${thread.status}, waits for an answer` : thread.status,
    formatTime(thread.lastActiveAt),
    thread.title,
  ]);
  const headings = ['THREAD', 'STATUS', 'LAST ACTIVE', 'TITLE'];
  return { ok: true, data: threads, lines: formatList(headings, rows, 'No conversation yet.') };
}

async function showConversation(context: CommandContext, threadId: string): Promise<CommandResult> {
  const thread = await readThreadHistory(context.database(), threadId, context.arguments.limit);
  if (!thread) throw new AppError('NOT_FOUND', { kind: 'thread', name: threadId, known: 'see `threads list`' });
  return { ok: true, data: thread, lines: describeThread(thread) };
}

function describeThread(thread: ThreadHistory): readonly string[] {
  const head = [
    `${thread.threadId}  ${thread.status}${thread.awaiting ? ', waits for an answer' : ''}`,
    `  person ${thread.userKey}, chat ${thread.chatKey}, agent ${thread.agent}`,
    `  began ${formatTime(thread.createdAt)}, last active ${formatTime(thread.lastActiveAt)}`,
    ...(thread.title === null ? [] : [`  about ${thread.title}`]),
    ...(thread.summary === null ? [] : [`  summary ${thread.summary}`]),
  ];
  return [
    ...head,
    ...formatSection(
      formatCount(thread.turns.length, 'turn'),
      ['STARTED', 'OUTCOME', 'TOOK', 'CALLS', 'MODEL', 'TOKENS', 'COST', 'SAID'],
      thread.turns,
      (turn) => [
        formatTime(turn.startedAt),
        turn.outcome,
        sayDuration(turn.durationMs),
        turn.toolCalls,
        turn.model,
        describeTokens(turn.usage),
        describeCost(turn.usage),
        turn.messages.join(' / '),
      ],
    ),
    ...formatSection(
      formatCount(thread.actions.length, 'action'),
      ['STARTED', 'TOOL', 'STATUS', 'ARGUMENTS'],
      thread.actions,
      (action) => [
        formatTime(action.startedAt),
        action.tool,
        action.errorCode === null ? action.status : `${action.status} (${action.errorCode})`,
        JSON.stringify(action.arguments),
      ],
    ),
    ...formatSection(
      formatCount(thread.replies.length, 'reply', 'replies'),
      ['CREATED', 'STATUS', 'TEXT'],
      thread.replies,
      (reply) => [
        formatTime(reply.createdAt),
        reply.error === null ? reply.status : `${reply.status} (${reply.error})`,
        reply.text,
      ],
    ),
  ];
}

function describeTokens(usage: TurnHistory['usage']): string | null {
  if (!usage) return null;
  const cached = usage.cachedTokens > 0 ? ` (${usage.cachedTokens} cached)` : '';
  return `${usage.inputTokens}${cached} + ${usage.outputTokens}`;
}

/** Formats a cost; an unknown one is `?`, because a dash would look like zero. */
function describeCost(usage: TurnHistory['usage']): string | null {
  if (!usage) return null;
  return usage.costUsd === null ? '?' : `$${usage.costUsd.toFixed(COST_DIGITS)}`;
}

/** A short turn of a small model costs a hundredth of a cent. */
const COST_DIGITS = 5;
