import { renderCardTitle } from '@signalbox/safety/cards/approval-card';
import { listPending, listVotes } from '@signalbox/store/governance/approvals';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatList, formatTime } from '../table.ts';

/** `approvals list`: shows the requests that wait for a decision. It decides nothing: people decide in the chat, where they are known. */
export function runApprovals(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { list: { words: 0, run: list } }, 'list');
}

async function list(context: CommandContext): Promise<CommandResult> {
  const pool = context.database();
  const accounts = context.arguments.person === undefined ? null : [context.arguments.person];
  const pending = await listPending(pool, accounts);
  const requests = await Promise.all(
    pending.map(async (one) => ({
      approvalId: one.approvalId,
      actionId: one.actionId,
      userKey: one.userKey,
      what: renderCardTitle(one.card),
      needed: one.needed,
      role: one.role,
      votes: (await listVotes(pool, one.approvalId)).map(({ name }) => name),
      rule: one.rule,
      expiresAt: one.expiresAt,
    })),
  );
  const rows = requests.map(({ approvalId, userKey, what, votes, needed, role, expiresAt }) => [
    approvalId,
    userKey,
    `${votes.length} of ${needed}`,
    role,
    formatTime(new Date(expiresAt)),
    what,
  ]);
  const headings = ['ID', 'PERSON', 'APPROVED', 'BY', 'EXPIRES', 'WHAT'];
  return { ok: true, data: requests, lines: formatList(headings, rows, 'No request waits for a decision.') };
}
