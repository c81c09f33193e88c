import { toForgeAccount } from '@signalbox/contracts/operations/gate';
import { z } from 'zod';
import type { DecodedGate, DecodeGate } from './forge-gate.ts';

const Account = z.object({ id: z.int().positive(), login: z.string(), type: z.string().optional() });

/** The event `deployment_protection_rule`: https://docs.github.com/webhooks/webhook-events-and-payloads#deployment_protection_rule */
const Requested = z.object({
  action: z.literal('requested'),
  environment: z.string().min(1).max(255),
  deployment_callback_url: z.string().max(1_000),
  deployment: z.object({
    id: z.int().positive(),
    sha: z.string().optional(),
    ref: z.string().optional(),
    creator: Account.nullish(),
  }),
  sha: z.string().optional(),
  ref: z.string().optional(),
  workflow_run: z.object({ id: z.int().positive() }).nullish(),
  repository: z.object({ id: z.int().positive(), full_name: z.string() }),
  sender: Account.nullish(),
});

/**
 * Reads a deployment that a protection rule of GitHub holds back. The run stands in no field of its own, only in the address for the
 * answer; nothing is ever sent there. Its parts have to fit the configured API and the repository of the message.
 */
export const decodeGithubGate: DecodeGate = (body, { githubApi }) => {
  if (typeof body !== 'object' || body === null || !('deployment_callback_url' in body)) return null;
  const read = Requested.safeParse(body);
  if (!read.success) return { wrong: z.core.toDotPath(read.error.issues[0]?.path ?? []) || 'body' };
  const { deployment, repository, sender, environment, workflow_run: workflow, ...given } = read.data;
  const run = readRun(given.deployment_callback_url, githubApi, repository.full_name);
  if (run === null) return { wrong: 'deployment_callback_url' };
  if (workflow && workflow.id !== run) return { wrong: 'workflow_run.id' };
  const commits = [deployment.sha, given.sha].filter((one) => one !== undefined);
  const [commit = ''] = commits;
  if (commits.some((one) => one !== commit)) return { wrong: 'sha' };
  const asking = [sender, deployment.creator].filter((one) => one !== null && one !== undefined);
  return {
    gate: {
      repository: repository.full_name,
      environment,
      ref: (deployment.ref ?? given.ref ?? commit).replace(/^refs\/heads\//, ''),
      commit,
      run: String(run),
      actor: asking[0]?.login ?? 'github',
    },
    once: `github:${repository.id}:${run}:${deployment.id}:${environment}`,
    accounts: [...new Set(asking.filter(isPerson).map(({ id }) => toForgeAccount('github', id)))],
    target: { environment, commit, run, deployment: deployment.id },
  } satisfies DecodedGate;
};

/** An App asks in nobody's name. */
function isPerson({ login, type }: z.infer<typeof Account>): boolean {
  return type !== 'Bot' && !login.endsWith('[bot]');
}

/** Reads the run of the address for the answer; null when it is not below the API, or is about another repository. */
function readRun(address: string, api: string, repository: string): number | null {
  const prefix = `${api}/repos/${repository}/actions/runs/`.toLowerCase();
  if (!address.toLowerCase().startsWith(prefix)) return null;
  const [, run] = /^([1-9]\d{0,14})\/deployment_protection_rule$/.exec(address.slice(prefix.length)) ?? [];
  return run === undefined ? null : Number(run);
}
