import { createOverview } from '@signalbox/store/repository/overview';
import type { CommandContext, Report } from '../../command.ts';
import { formatList, formatTime } from '../../table.ts';
import { readTag } from './tags.ts';

/** Lists all repositories, those with the most severe open findings first; --tag filters them. */
export async function listRepositories(context: CommandContext): Promise<Report> {
  const { tag, limit } = context.arguments;
  const tags = tag === undefined ? [] : [readTag(tag)];
  const { total, repositories } = await createOverview(context.database()).list({ tags }, limit);
  const rows = repositories.map(({ project, open, scannedAt, tags: own }) => [
    project,
    open.critical,
    open.high,
    open.medium,
    open.low,
    open.info,
    scannedAt && formatTime(scannedAt),
    own.join(' '),
  ]);
  const headings = ['PROJECT', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO', 'SCANNED', 'TAGS'];
  const lines = formatList(
    headings,
    rows,
    tags.length > 0 ? `No project is tagged ${tags.join()}.` : 'There is no project.',
  );
  const more = total - repositories.length;
  return { ok: true, data: { total, repositories }, lines: more > 0 ? [...lines, `… and ${more} more`] : lines };
}
