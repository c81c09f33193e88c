import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@signalbox/contracts/errors';
import { sayFinding } from '@signalbox/analysis/reports/say-findings';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { withTransaction } from '@signalbox/store/pool';
import { createChainRunStore } from '@signalbox/store/repository/chain-runs';
import { createFindingStore, recordDecision } from '@signalbox/store/repository/findings';
import { createRegistryStore, matchesChecksum, putEntity } from '@signalbox/store/repository/registry';
import { runSubcommand, type CommandContext, type CommandResult } from '../../command.ts';
import { formatList, formatTime } from '../../table.ts';

/** A baseline: the fingerprints of all findings open or accepted when it was set. */
const Baseline = z.object({ commit: z.string().nullable(), fingerprints: z.array(z.string()) });
const MAX_FINDINGS = 100_000;

/** Baselines: `list <project>`, `set <project> <name>`, `compare <project> <name>`. */
export function runBaseline(context: CommandContext): Promise<CommandResult> {
  const verbs = {
    list: { words: 1, run: listBaselines },
    set: { words: 2, run: setBaseline },
    compare: { words: 2, run: compare },
  };
  return runSubcommand(context, verbs);
}

async function listBaselines(context: CommandContext, project: string): Promise<CommandResult> {
  const registry = createRegistryStore(context.database());
  const baselines = await registry.list({ entityType: 'baseline', project }, context.arguments.limit);
  const rows = baselines.map(({ entityId, data, updatedAt }) => {
    const { commit = null, fingerprints = [] } = Baseline.safeParse(data).data ?? {};
    return [
      entityId.slice(project.length + 1),
      formatTime(updatedAt),
      commit?.slice(0, 7) ?? '',
      String(fingerprints.length),
    ];
  });
  return {
    ok: true,
    data: baselines,
    lines: formatList(['BASELINE', 'SET', 'COMMIT', 'FINDINGS'], rows, 'There is no baseline.'),
  };
}

async function setBaseline(context: CommandContext, project: string, name: string): Promise<CommandResult> {
  const pool = context.database();
  await createProjectStore(pool).get(project);
  const known = await listKnown(context, project);
  const [newest] = await createChainRunStore(pool).list(project, 1);
  const data = {
    commit: newest?.commitId ?? null,
    fingerprints: known.map(({ fingerprint }) => fingerprint).toSorted(),
  };
  await withTransaction(pool, async (db) => {
    await putEntity(db, { entityType: 'baseline', entityId: `${project}/${name}`, project, data });
    const decision = { project, about: name, reason: '', until: null, userKey: context.actor, threadId: null };
    await recordDecision(db, 'baseline', { ...decision, actionId: `cli_${randomUUID()}` });
  });
  return { ok: true, data, lines: [`The baseline ${name} of ${project} holds ${known.length} findings.`] };
}

async function compare(context: CommandContext, project: string, name: string): Promise<CommandResult> {
  const registry = createRegistryStore(context.database());
  const entity = await registry.get('baseline', `${project}/${name}`);
  const baseline = Baseline.safeParse(entity?.data);
  if (!entity || !baseline.success || !matchesChecksum(entity)) {
    const known = (await registry.list({ entityType: 'baseline', project }, 20)).map(({ entityId }) => entityId);
    throw new AppError('NOT_FOUND', {
      kind: 'baseline',
      name: `${project}/${name}`,
      known: known.join(', ') || 'none',
    });
  }
  const before = new Set(baseline.data.fingerprints);
  const open = await createFindingStore(context.database()).list({ project, status: 'open' }, MAX_FINDINGS);
  const added = open.filter(({ fingerprint }) => !before.has(fingerprint));
  const rows = added.map((one) => [one.findingId, one.severity, one.rule, sayFinding(one)]);
  const none = `Nothing of ${project} is open that ${name} does not hold.`;
  return { ok: added.length === 0, data: added, lines: formatList(['NUMBER', 'SEVERITY', 'RULE', 'WHAT'], rows, none) };
}

async function listKnown(context: CommandContext, project: string) {
  const findings = createFindingStore(context.database());
  const [open, accepted] = await Promise.all([
    findings.list({ project, status: 'open' }, MAX_FINDINGS),
    findings.list({ project, status: 'accepted' }, MAX_FINDINGS),
  ]);
  return [...open, ...accepted];
}
