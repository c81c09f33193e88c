import { randomUUID } from 'node:crypto';
import { createProjectStore } from '@signalbox/store/deploy/projects';
import { createRegistryStore } from '@signalbox/store/repository/registry';
import { createSnapshotStore } from '@signalbox/store/repository/snapshots';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';
import { formatList, formatTime } from '../../table.ts';

export async function makeSnapshot(context: CommandContext, project: string): Promise<CommandResult> {
  await createProjectStore(context.database()).get(project);
  const snapshot = await createSnapshotStore(context.database()).make(request(context, project));
  const lines = [`Snapshot ${snapshot.snapshotId} of ${project} holds ${snapshot.findings} findings.`];
  return { ok: true, data: snapshot, lines };
}

export async function listSnapshots(context: CommandContext, project: string): Promise<CommandResult> {
  const snapshots = await createSnapshotStore(context.database()).list(project, context.arguments.limit);
  const rows = snapshots.map((one) => [
    one.snapshotId,
    formatTime(one.madeAt),
    String(one.findings),
    one.userKey,
    one.reason,
    one.checksum.slice(0, 16),
  ]);
  const lines = formatList(['SNAPSHOT', 'MADE', 'FINDINGS', 'BY', 'WHY', 'CHECKSUM'], rows, 'There is no snapshot.');
  return { ok: true, data: snapshots, lines };
}

/** Restores a snapshot with --force; otherwise only checks it. */
export async function rollback(context: CommandContext, project: string, snapshotId: string): Promise<CommandResult> {
  const snapshots = createSnapshotStore(context.database());
  const { findings, madeAt } = await snapshots.check(project, snapshotId);
  if (!context.arguments.force)
    throw new UsageError(
      `Snapshot ${snapshotId} is whole: ${findings} findings, made ${formatTime(madeAt)}. Restoring it replaces all findings and ` +
        `decisions of ${project}; what there is now is saved first. Add --force when that is what you want.`,
    );
  const { restored, saved } = await snapshots.restore(snapshotId, request(context, project));
  const lines = [
    `Snapshot ${restored.snapshotId} of ${project} is restored. What was there before is snapshot ${saved.snapshotId}.`,
  ];
  return { ok: true, data: { restored, saved }, lines };
}

/** Verifies the checksums of all registry entities. The exit code is 1 when one does not match. */
export async function verifyRegistry(context: CommandContext): Promise<CommandResult> {
  const broken = await createRegistryStore(context.database()).broken(context.arguments.limit);
  const rows = broken.map(({ entityType, entityId, updatedAt }) => [entityType, entityId, formatTime(updatedAt)]);
  const lines = formatList(['TYPE', 'ENTITY', 'UPDATED'], rows, 'Every entity of the registry is whole.');
  return { ok: broken.length === 0, data: broken, lines };
}

function request({ actor, arguments: { reason } }: CommandContext, project: string) {
  return {
    project,
    reason: reason ?? 'at the command line',
    userKey: actor,
    actionId: `cli_${randomUUID()}`,
    threadId: null,
  };
}
