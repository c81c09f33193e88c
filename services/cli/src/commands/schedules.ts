import { listAllSchedules } from '@signalbox/store/schedules/schedule-rows';
import { runSubcommand, type CommandContext, type CommandResult } from '../command.ts';
import { formatList, formatTime } from '../table.ts';

/** `schedules list`: shows the reminders and scheduled orders of all people. */
export function runSchedules(context: CommandContext): Promise<CommandResult> {
  return runSubcommand(context, { list: { words: 0, run: list } });
}

async function list(context: CommandContext): Promise<CommandResult> {
  const schedules = await listAllSchedules(context.database());
  const rows = schedules.map((one) => [
    one.id,
    one.userKey,
    one.state,
    one.kind,
    one.pattern ?? 'once',
    one.zone,
    one.nextAt === null ? '' : formatTime(one.nextAt),
    one.task.slice(0, 60),
  ]);
  const lines = formatList(['ID', 'PERSON', 'STATE', 'KIND', 'PATTERN', 'ZONE', 'NEXT', 'TASK'], rows, 'No schedules.');
  return { ok: true, data: schedules, lines };
}
