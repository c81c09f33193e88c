import { createOverviewReader } from '@signalbox/store/repository/overview';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createRelationshipStore } from '@signalbox/store/repository/relationships';
import { runSubcommand, type CommandContext, type CommandResult } from '../../command.ts';
import { listAgents, runScan, runChain, listRuns } from './chains.ts';
import { acceptFinding, listFindings, reopenFinding } from './findings.ts';
import { runBaseline } from './baselines.ts';
import { listSnapshots, makeSnapshot, rollback, verifyRegistry } from './snapshots.ts';
import { tagProject, readTag } from './tags.ts';
import { formatList, formatTime, formatCount } from '../../table.ts';

/** Shows the governed repositories: chains of analysis steps, findings, baselines, snapshots. */
export function runRepo(context: CommandContext): Promise<CommandResult> {
  const [first = '', ...rest] = context.arguments.words;
  if (first === 'baseline') return runBaseline({ ...context, arguments: { ...context.arguments, words: rest } });
  const verbs = {
    scan: { words: 1, run: runScan },
    chain: { words: 2, run: runChain },
    runs: { words: 1, run: listRuns },
    agents: { words: 0, run: listAgents },
    findings: { words: 1, run: listFindings },
    accept: { words: 2, run: acceptFinding },
    reopen: { words: 2, run: reopenFinding },
    snapshot: { words: 1, run: makeSnapshot },
    snapshots: { words: 1, run: listSnapshots },
    rollback: { words: 2, run: rollback },
    list: { words: 0, run: listRepositories },
    tag: { words: 2, run: tagProject },
    relations: { words: 1, run: listRelations },
    verify: { words: 0, run: verifyRegistry },
  };
  return runSubcommand(context, verbs);
}

async function listRepositories(context: CommandContext): Promise<CommandResult> {
  const { tag, limit } = context.arguments;
  const tags = tag === undefined ? [] : [readTag(tag)];
  const { total, repositories } = await createOverviewReader(context.database()).list({ tags }, limit);
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

async function listRelations(context: CommandContext, project: string): Promise<CommandResult> {
  const pool = context.database();
  await createProjectStore(pool).get(project);
  const relationships = createRelationshipStore(pool);
  const { limit } = context.arguments;
  const [isKnown, dependsOn, usedBy] = await Promise.all([
    relationships.isKnown(project),
    relationships.dependsOn(project, limit),
    relationships.usedBy(project, limit),
  ]);
  const rows = [
    ...dependsOn.map((one) => ({ ...one, way: 'depends on' })),
    ...usedBy.map((one) => ({ ...one, way: 'is used by' })),
  ].map(({ way, project: other, packages, total }) => {
    const more = total - packages.length;
    return [way, other, packages.join(', ') + (more > 0 ? ` and ${formatCount(more, 'other')}` : '')];
  });
  const none = isKnown
    ? `${project} is related to no other project.`
    : `The packages of ${project} are not known: run 'repo chain dependency_audit ${project}'.`;
  return {
    ok: true,
    data: { project, isKnown, dependsOn, usedBy },
    lines: formatList(['WAY', 'PROJECT', 'BY'], rows, none),
  };
}
