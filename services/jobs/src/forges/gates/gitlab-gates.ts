import { FORGE_NAMES, toForgeAccount } from '@signalbox/contracts/operations/gate';
import type { OpenGate } from '@signalbox/store/governance/gates';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { createForgeClient } from '../forge-client.ts';
import { GITLAB, toCheckState } from '../hosts/gitlab.ts';
import { createGateDriver, type GateDriver } from './gate-driver.ts';

const RIGHTS = 'api (allowed to approve the environment)';

const Deployment = z.object({
  status: z.string(),
  sha: z.string(),
  user: z.object({ id: z.int().positive(), username: z.string().max(255) }).nullish(),
  approvals: z.array(z.object({ comment: z.string().nullish() })).optional(),
});
const Deployments = z.array(z.object({ id: z.int(), sha: z.string().regex(/^[0-9a-f]{40,64}$/) }));
const Comparison = z.object({ commits: z.array(z.object({ id: z.string(), title: z.string() })) });
const Statuses = z.array(
  z.object({ id: z.int(), name: z.string(), status: z.string(), allow_failure: z.boolean().nullish() }),
);

/** States of a deployment that does not wait any more. */
const ENDED: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Answers deployments of GitLab that wait for approvals: https://docs.gitlab.com/api/deployments/#approve-or-reject-a-blocked-deployment */
export function createGitlabGates(options: {
  readonly api: string;
  readonly token: string;
  readonly dispatcher: Dispatcher;
}): GateDriver {
  const { token, ...at } = options;
  return createGateDriver({
    open: (repository) =>
      createForgeClient({
        ...at,
        name: FORGE_NAMES.gitlab,
        repository,
        rights: RIGHTS,
        headers: GITLAB.headers,
        authorize: () => Promise.resolve(GITLAB.authorize(token)),
      }),
    toRequest: (gate, { state, comment }) => ({ path: `${toPath(gate)}/approval`, body: { status: state, comment } }),
    // The comment names our request.
    isTaken: async (client, gate, { comment }, signal) => {
      const answer = await client.send({ method: 'GET', path: toPath(gate) }, signal);
      return Deployment.safeParse(answer.body).data?.approvals?.some((one) => one.comment === comment) === true;
    },
    isOver: async (client, gate, signal) =>
      ENDED.has((await client.ask({ method: 'GET', path: toPath(gate) }, Deployment, signal)).status),
    readRun: async (client, gate, signal) => {
      const { sha, user } = await client.ask({ method: 'GET', path: toPath(gate) }, Deployment, signal);
      if (sha !== gate.target.commit) throw new Error('the deployment is of another commit');
      // A job that is started again is another job.
      return { attempt: null, accounts: user ? [toForgeAccount('gitlab', user.id)] : [], login: user?.username };
    },
    findLast: async (client, gate, signal) => {
      const { environment } = gate.target;
      const query = { environment, status: 'success', order_by: 'id', sort: 'desc', per_page: 1 };
      const path = `${toRoot(gate)}/deployments`;
      const [last] = await client.ask({ method: 'GET', path, query }, Deployments, signal);
      return last?.sha ?? null;
    },
    compare: async (client, gate, last, signal) => {
      const query = { from: last, to: gate.target.commit };
      const path = `${toRoot(gate)}/repository/compare`;
      const { commits } = await client.ask({ method: 'GET', path, query }, Comparison, signal);
      return { count: commits.length, commits: commits.map(({ id, title }) => ({ id, message: title })) };
    },
    listChecks: async (client, gate, signal) => {
      const { commit, run } = gate.target;
      const path = `${toRoot(gate)}/repository/commits/${commit}/statuses`;
      const found = await client.ask({ method: 'GET', path, query: { per_page: 100 } }, Statuses, signal);
      return found
        .filter(({ id }) => id !== run)
        .map(({ name, status, allow_failure: mayFail }) => ({ name, state: toCheckState(status, mayFail === true) }));
    },
  });
}

function toRoot({ target }: OpenGate): string {
  return `/projects/${target.project ?? 0}`;
}

function toPath(gate: OpenGate): string {
  return `${toRoot(gate)}/deployments/${gate.target.deployment}`;
}
