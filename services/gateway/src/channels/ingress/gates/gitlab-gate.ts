import { toForgeAccount } from '@signalbox/contracts/operations/gate';
import { z } from 'zod';
import type { DecodedGate, DecodeGate } from './forge-gate.ts';

/** A deployment event with the status `blocked`: https://docs.gitlab.com/user/project/integrations/webhook_events/#deployment-events */
const Blocked = z.object({
  object_kind: z.literal('deployment'),
  status: z.literal('blocked'),
  deployment_id: z.int().positive(),
  deployable_id: z.int().positive(),
  environment: z.string().min(1).max(255),
  ref: z.string().optional(),
  short_sha: z.string().regex(/^[0-9a-f]{7,40}$/),
  commit_url: z.string().max(2_000),
  project: z.object({ id: z.int().positive(), path_with_namespace: z.string() }),
  user: z.object({ id: z.int().positive().optional(), username: z.string() }).nullish(),
});

/**
 * Reads a deployment to a protected environment of GitLab that waits for approvals. The whole commit stands in no field of its own, only at
 * the end of the commit's address, and has to begin with the short one.
 */
export const decodeGitlabGate: DecodeGate = (body) => {
  if (typeof body !== 'object' || body === null || !('status' in body) || body.status !== 'blocked') return null;
  if (!('object_kind' in body) || body.object_kind !== 'deployment') return null;
  const read = Blocked.safeParse(body);
  if (!read.success) return { wrong: z.core.toDotPath(read.error.issues[0]?.path ?? []) || 'body' };
  const { project, user, environment, deployment_id: deployment, deployable_id: job, short_sha: short } = read.data;
  const commit = /\/([0-9a-f]{40}(?:[0-9a-f]{24})?)$/.exec(read.data.commit_url)?.[1] ?? '';
  if (!commit.startsWith(short)) return { wrong: 'commit_url' };
  return {
    gate: {
      repository: project.path_with_namespace,
      environment,
      ref: read.data.ref ?? commit,
      commit,
      run: String(job),
      actor: user?.username ?? 'gitlab',
    },
    once: `gitlab:${project.id}:${deployment}:${job}`,
    accounts: user?.id === undefined ? [] : [toForgeAccount('gitlab', user.id)],
    // The answer goes to the project by its number, which no rename changes.
    target: { environment, commit, project: project.id, run: job, deployment },
  } satisfies DecodedGate;
};
