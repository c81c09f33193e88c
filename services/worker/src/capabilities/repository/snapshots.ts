import { z } from 'zod';
import { ProjectName } from '@signalbox/contracts/conversation/fields';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, LOOK_UP_DEFAULTS, tool, type ToolContext } from '../../tools/tool.ts';

type Snapshot = Awaited<ReturnType<ToolContext['ports']['repositories']['snapshots']['check']>>;

const SHOWN = 10;
const aboutProject = { resources: ({ project }: { readonly project: string }) => [`project:${project}`] };

const SnapshotNumber = z.coerce
  .number()
  .int()
  .min(1)
  .max(999_999_999)
  .describe('Number of the snapshot')
  .meta({ ask: 'Which snapshot?' });

const SNAPSHOT_ORIGINS = {
  project: 'name',
  snapshotId: 'runtime',
  reason: 'runtime',
  madeAt: 'runtime',
  findings: 'runtime',
} as const;

export const makeSnapshot = tool({
  describe: 'Save the findings of a project and what was decided about them, so that this state can be restored.',
  hints: [
    'make a snapshot of the findings of shop',
    'save the findings of shop as a snapshot',
    'snapshot the findings of blog',
    'take a snapshot of the findings of shop',
    'make a snapshot for shop',
    'keep a snapshot of what was found in blog',
  ],
  input: z.object({ project: ProjectName }),
  ...CHANGE_DEFAULTS,
  ...aboutProject,
  deadlineMs: 15_000,
  run: async ({ project }, { ports, actor, actionId, threadId }) => {
    await ports.projects.get(project);
    const reason = say('findings.snapshotReason');
    return shown(
      await ports.repositories.snapshots.make({ project, reason, userKey: actor.userKey, actionId, threadId }),
    );
  },
  probe: async (_, { ports, actionId }) => {
    const made = await ports.repositories.snapshots.madeBy(actionId);
    return made ? { kind: 'done', output: shown(made) } : { kind: 'not-done' };
  },
  phrases: {
    order: ({ project }) => say('findings.snapshotOrder', { project }),
    done: ({ snapshotId, project, findings }) =>
      say('findings.snapshotMade', { snapshot: snapshotId, project, findings }),
  },
}).from(SNAPSHOT_ORIGINS);

export const listSnapshots = tool({
  describe: 'List the saved states of the findings of a project.',
  hints: [
    'list the snapshots of shop',
    'which snapshots of the findings of blog are there',
    'show the snapshots of shop',
    'what snapshots does shop have',
    'are there snapshots of blog',
    'snapshots of the findings of shop',
  ],
  input: z.object({ project: ProjectName }),
  ...LOOK_UP_DEFAULTS,
  ...aboutProject,
  run: async ({ project }, { ports }) => {
    await ports.projects.get(project);
    return { project, snapshots: (await ports.repositories.snapshots.list(project, SHOWN)).map(shown) };
  },
  phrases: {
    done: ({ project, snapshots }) =>
      snapshots.length === 0
        ? say('findings.noSnapshots', { project })
        : snapshots
            .map(({ snapshotId, madeAt, findings, reason }) =>
              say('findings.snapshotLine', {
                snapshot: snapshotId,
                at: madeAt.slice(0, 16).replace('T', ' '),
                findings,
                reason: toPlainName(reason),
              }),
            )
            .map((line) => `- ${line}`)
            .join('\n'),
  },
}).from({ project: 'name', snapshots: SNAPSHOT_ORIGINS });

/** Restoring overwrites what people decided since the snapshot, so the tool always waits for an approval. */
export const restoreSnapshot = tool({
  describe:
    'Put the findings of a project and the decisions about them back to a saved state. What there is now is saved first.',
  hints: [
    'restore snapshot 4 of shop',
    'restore the findings of shop from snapshot 4',
    'restore snapshot 2 of the findings of blog',
    'put snapshot 4 of shop in place of the findings',
    'use snapshot 4 of the findings of shop again',
    'restore the snapshot 4 of blog',
  ],
  input: z.object({ project: ProjectName, snapshot: SnapshotNumber }),
  risk: 'dangerous',
  role: 'operator',
  egress: false,
  replay: 'harmless',
  ...aboutProject,
  lock: ({ project }) => `registry:${project}`,
  deadlineMs: 15_000,
  told: ['project', 'snapshot'],
  preview: async ({ project, snapshot }, { ports }) => {
    // A damaged snapshot is refused before anybody is asked.
    const { madeAt, findings, checksum } = await ports.repositories.snapshots.check(project, String(snapshot));
    return {
      what: say('findings.restoreOrder', { snapshot, project }),
      change: say('findings.restoreChange', { findings, at: madeAt.toISOString().slice(0, 16).replace('T', ' ') }),
      reach: say('findings.restoreReach', { project, checksum: checksum.slice(0, 16) }),
      undo: say('findings.restoreUndo'),
    };
  },
  run: async ({ project, snapshot }, { ports, actor, actionId, threadId }) => {
    const request = { project, reason: '', userKey: actor.userKey, actionId, threadId };
    const { restored, saved } = await ports.repositories.snapshots.restore(String(snapshot), request);
    return { ...shown(restored), saved: saved.snapshotId };
  },
  probe: async ({ project, snapshot }, { ports, actionId }) => {
    const saved = await ports.repositories.snapshots.madeBy(actionId);
    if (!saved) return { kind: 'not-done' };
    const restored = await ports.repositories.snapshots.check(project, String(snapshot));
    return { kind: 'done', output: { ...shown(restored), saved: saved.snapshotId } };
  },
  phrases: {
    order: ({ project, snapshot }) => say('findings.restoreOrder', { snapshot, project }),
    done: ({ snapshotId, project, findings, saved }) =>
      say('findings.restored', { snapshot: snapshotId, project, findings, saved }),
  },
}).from({ ...SNAPSHOT_ORIGINS, saved: 'runtime' });

function shown({ snapshotId, project, reason, findings, madeAt }: Snapshot) {
  return { snapshotId, project, reason, findings, madeAt: madeAt.toISOString() };
}
