import { toForgeAccount, type GateFacts } from '@signalbox/contracts/operations/gate';
import type { OpenGate } from '@signalbox/store/governance/gates';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { sumUpChecks } from '../forge-api.ts';
import { createForgeClient, type ForgeClient, type ForgeLimits } from '../forge-client.ts';
import { GITLAB, toCheckState } from '../hosts/gitlab.ts';
import { MAX_TITLES, OVER, readPart, toLine, toTitle, type GateDriver } from './gate-driver.ts';

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

/** Answers deployments of GitLab that wait for approvals: https://docs.gitlab.com/api/deployments/#approve-or-reject-a-blocked-deployment */
export function createGitlabGates(options: {
  readonly api: string;
  readonly token: string;
  readonly dispatcher: Dispatcher;
  readonly limits?: Partial<ForgeLimits>;
}): GateDriver {
  const { api, token, dispatcher, limits } = options;
  const open = (repository: string): ForgeClient =>
    createForgeClient({
      api,
      name: 'GitLab',
      repository,
      rights: RIGHTS,
      headers: GITLAB.headers,
      authorize: () => Promise.resolve(GITLAB.authorize(token)),
      dispatcher,
      ...(limits ? { limits } : {}),
    });
  return {
    name: 'GitLab',
    read: (gate, signal) => readFacts(open(gate.repository), gate, signal),
    async answer(gate, { state, comment }, signal) {
      const client = open(gate.repository);
      const path = `${toPath(gate)}/approval`;
      const answer = await client.send({ method: 'POST', path, body: { status: state, comment } }, signal);
      if (answer.status >= 200 && answer.status < 300) return { kind: 'taken' };
      const isOver = OVER.has(answer.status);
      // An earlier answer may have arrived although its reply was lost: its comment names our request.
      if (isOver && gate.tries > 0 && (await isTaken(client, gate, comment, signal))) return { kind: 'taken' };
      return { kind: 'refused', error: client.explain(answer), isOver };
    },
  };
}

function toRoot({ target }: OpenGate): string {
  return `/projects/${target.project ?? 0}`;
}

function toPath(gate: OpenGate): string {
  return `${toRoot(gate)}/deployments/${gate.target.deployment}`;
}

async function isTaken(client: ForgeClient, gate: OpenGate, comment: string, signal: AbortSignal): Promise<boolean> {
  const answer = await client.send({ method: 'GET', path: toPath(gate) }, signal);
  return Deployment.safeParse(answer.body).data?.approvals?.some((one) => one.comment === comment) === true;
}

async function readFacts(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts> {
  const unread: GateFacts['unread'] = [];
  const [run, commits, checks] = await Promise.all([
    readPart(unread, 'run', () => readDeployment(client, gate, signal)),
    readPart(unread, 'commits', () => readCommits(client, gate, signal)),
    readPart(unread, 'checks', () => readChecks(client, gate, signal)),
  ]);
  const user = run?.user;
  return {
    // A job that is started again is another job.
    attempt: null,
    accounts: user ? [toForgeAccount('gitlab', user.id)] : [],
    actor: user && /^[\x21-\x7e]{1,80}$/.test(user.username) ? user.username : null,
    commits,
    checks,
    unread: unread.toSorted(),
  };
}

/** Reads the deployment that waits. Throws when it is not that of the webhook. */
async function readDeployment(client: ForgeClient, gate: OpenGate, signal: AbortSignal) {
  const found = await client.ask({ method: 'GET', path: toPath(gate) }, Deployment, signal);
  if (found.sha !== gate.target.commit) throw new Error('the deployment is of another commit');
  return found;
}

/** Reads the commits since the last deployment to the environment that succeeded; null without one. */
async function readCommits(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts['commits']> {
  const { environment, commit } = gate.target;
  const root = toRoot(gate);
  const query = { environment, status: 'success', order_by: 'id', sort: 'desc', per_page: 1 };
  const [last] = await client.ask({ method: 'GET', path: `${root}/deployments`, query }, Deployments, signal);
  if (!last) return null;
  if (last.sha === commit) return { count: 0, titles: [] };
  const range = { from: last.sha, to: commit };
  const path = `${root}/repository/compare`;
  const { commits } = await client.ask({ method: 'GET', path, query: range }, Comparison, signal);
  const newest = commits.slice(-MAX_TITLES).toReversed();
  return { count: commits.length, titles: newest.map(({ id, title }) => toTitle(id, title)) };
}

/** Sums up the jobs of the commit, without the one that waits for the gate. */
async function readChecks(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts['checks']> {
  const { commit, run } = gate.target;
  const path = `${toRoot(gate)}/repository/commits/${commit}/statuses`;
  const found = await client.ask({ method: 'GET', path, query: { per_page: 100 } }, Statuses, signal);
  const { state, failed } = sumUpChecks(
    found
      .filter(({ id }) => id !== run)
      .map(({ name, status, allow_failure: mayFail }) => ({
        name: toLine(name),
        state: toCheckState(status, mayFail === true),
      })),
  );
  return { state, failed: [...failed] };
}
