import { randomUUID } from 'node:crypto';
import { SEVERITIES } from '@signalbox/contracts/repository/finding';
import { toSarif } from '@signalbox/analysis/reports/sarif';
import { sayFinding, sayLocation } from '@signalbox/analysis/reports/say-findings';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createFindingStore } from '@signalbox/store/repository/findings';
import { parseSince, UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatList } from '../../table.ts';

const STATES = ['open', 'accepted', 'fixed'] as const;

/** Lists findings, or exports them with --sarif. The exit code is 1 when --severity is given and such findings are open. */
export async function listFindings(context: CommandContext, project: string): Promise<CommandResult> {
  const { status: state = 'open', severity, limit, sarif } = context.arguments;
  const status = STATES.find((one) => one === state);
  if (!status) throw new UsageError(`--status is one of ${STATES.join(', ')}, not '${state}'.`);
  const from = SEVERITIES.find((one) => one === severity);
  if (severity !== undefined && !from)
    throw new UsageError(`--severity is one of ${SEVERITIES.join(', ')}, not '${severity}'.`);
  const pool = context.database();
  await createProjectStore(pool).get(project);
  const findings = createFindingStore(pool);
  const found = await findings.list({ project, status, from }, limit);
  const ok = from === undefined || status !== 'open' || found.length === 0;
  if (sarif) {
    const accepted = status === 'open' ? await findings.list({ project, status: 'accepted', from }, limit) : [];
    const log = toSarif(project, [...found, ...accepted]);
    return { ok, data: log, lines: [JSON.stringify(log, null, 2)] };
  }
  const rows = found.map((one) => [
    one.findingId,
    one.severity,
    one.rule,
    sayLocation(one).replaceAll('`', ''),
    sayFinding(one),
  ]);
  const lines = formatList(
    ['NUMBER', 'SEVERITY', 'RULE', 'PLACE', 'WHAT'],
    rows,
    `No finding of ${project} is ${status}.`,
  );
  return { ok, data: found, lines };
}

export async function acceptFinding(
  context: CommandContext,
  project: string,
  findingId: string,
): Promise<CommandResult> {
  const { reason, for: period } = context.arguments;
  if (!reason) throw new UsageError('An acceptance needs a --reason, and may be --for a time such as 30d.');
  const until = period === undefined ? null : new Date(Date.now() + parseSince(period));
  const finding = await createFindingStore(context.database()).accept({
    ...decision(context, project, findingId),
    reason,
    until,
  });
  return { ok: true, data: finding, lines: [`Finding ${findingId} of ${project} is accepted: ${reason}`] };
}

export async function reopenFinding(
  context: CommandContext,
  project: string,
  findingId: string,
): Promise<CommandResult> {
  const finding = await createFindingStore(context.database()).reopen(decision(context, project, findingId));
  return { ok: true, data: finding, lines: [`Finding ${findingId} of ${project} is ${finding.status}.`] };
}

function decision({ actor, arguments: { reason = '' } }: CommandContext, project: string, findingId: string) {
  return { project, findingId, reason, userKey: actor, actionId: `cli_${randomUUID()}`, threadId: null };
}
