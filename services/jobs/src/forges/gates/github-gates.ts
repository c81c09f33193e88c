import { FORGE_NAMES, toForgeAccount } from '@signalbox/contracts/operations/gate';
import type { OpenGate } from '@signalbox/store/governance/gates';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { createForgeClient, type ForgeClient } from '../forge-client.ts';
import { fetchInstallationToken, isFresh, type GithubApp, type InstallationToken } from '../hosts/github-app.ts';
import { GITHUB, toRunState } from '../hosts/github.ts';
import { createGateDriver, type GateDriver, type GateForgeApi } from './gate-driver.ts';

const RIGHTS = 'Actions: read, Checks: read, Contents: read, Deployments: write';
/** Earlier deployments that are looked at for the last one that succeeded. */
const MAX_EARLIER = 5;

const Account = z.object({ id: z.int().positive(), login: z.string().max(100), type: z.string() });
const Run = z.object({
  status: z.string().nullish(),
  run_attempt: z.int().positive().default(1),
  actor: Account.nullish(),
  triggering_actor: Account.nullish(),
});
const Deployments = z.array(z.object({ id: z.int(), sha: z.string().regex(/^[0-9a-f]{40,64}$/) }));
const Statuses = z.array(z.object({ state: z.string() }));
const Comparison = z.object({
  total_commits: z.int().nonnegative(),
  commits: z.array(z.object({ sha: z.string(), commit: z.object({ message: z.string() }) })),
});
const CheckRuns = z.object({
  check_runs: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      details_url: z.string().nullish(),
    }),
  ),
});
const Pending = z.array(z.object({ environment: z.object({ name: z.string() }) }));

/** Answers deployment protection rules as a GitHub App: https://docs.github.com/rest/actions/workflow-runs */
export function createGithubGates(options: {
  readonly api: string;
  readonly app: GithubApp;
  readonly dispatcher: Dispatcher;
}): GateDriver {
  const { app, ...at } = options;
  const tokens = new Map<string, InstallationToken>();
  const connect = (repository: string, authorize: (signal: AbortSignal) => Promise<string>): ForgeClient =>
    createForgeClient({
      ...at,
      name: FORGE_NAMES.github,
      repository,
      rights: RIGHTS,
      headers: GITHUB.headers,
      authorize,
    });
  const open = (repository: string): ForgeClient =>
    connect(repository, async (signal) => {
      const known = tokens.get(repository);
      if (known && isFresh(known, Date.now())) return GITHUB.authorize(known.token);
      const client = connect(repository, () => Promise.resolve(''));
      const made = await fetchInstallationToken(client, app, repository.split('/'), signal);
      tokens.set(repository, made);
      return GITHUB.authorize(made.token);
    });
  return createGateDriver({
    open,
    toRequest: (gate, { state, comment }) => ({
      path: `${toRun(gate)}/deployment_protection_rule`,
      body: { environment_name: gate.target.environment, state, comment },
    }),
    // Once answered, the environment does not wait any more.
    isTaken: async (client, gate, _, signal) => !(await isPending(client, gate, signal)),
    isOver: async (client, gate, signal) =>
      (await client.ask({ method: 'GET', path: toRun(gate) }, Run, signal)).status === 'completed',
    readRun: async (client, gate, signal) => {
      const run = await client.ask({ method: 'GET', path: toRun(gate) }, Run, signal);
      const { triggering_actor: starter, actor: first, run_attempt: attempt } = run;
      const people = [starter, first].filter((one) => one?.type === 'User');
      const accounts = people.flatMap((one) => (one ? [toForgeAccount('github', one.id)] : []));
      return { attempt, accounts, login: starter?.login };
    },
    findLast,
    compare: async (client, gate, last, signal) => {
      const path = `${toRoot(gate)}/compare/${last}...${gate.target.commit}`;
      const { total_commits: count, commits } = await client.ask({ method: 'GET', path }, Comparison, signal);
      return { count, commits: commits.map(({ sha, commit: { message } }) => ({ id: sha, message })) };
    },
    listChecks,
  });
}

function toRoot({ repository }: OpenGate): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
}

function toRun(gate: OpenGate): string {
  return `${toRoot(gate)}/actions/runs/${gate.target.run}`;
}

async function isPending(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<boolean> {
  const answer = await client.send({ method: 'GET', path: `${toRun(gate)}/pending_deployments` }, signal);
  const pending = Pending.safeParse(answer.body);
  return !pending.success || pending.data.some(({ environment }) => environment.name === gate.target.environment);
}

const findLast: GateForgeApi['findLast'] = async (client, gate, signal) => {
  const { environment, deployment } = gate.target;
  const root = toRoot(gate);
  const query = { environment, per_page: MAX_EARLIER + 1 };
  const found = await client.ask({ method: 'GET', path: `${root}/deployments`, query }, Deployments, signal);
  for (const { id, sha } of found.filter((one) => one.id !== deployment)) {
    const path = `${root}/deployments/${id}/statuses`;
    const statuses = await client.ask({ method: 'GET', path, query: { per_page: 10 } }, Statuses, signal);
    if (statuses.some(({ state }) => state === 'success')) return sha;
  }
  return null;
};

/** The jobs of the run itself that have not ended are those that wait for the gate. */
const listChecks: GateForgeApi['listChecks'] = async (client, gate, signal) => {
  const { commit, run: id } = gate.target;
  const path = `${toRoot(gate)}/commits/${commit}/check-runs`;
  const { check_runs: runs } = await client.ask({ method: 'GET', path, query: { per_page: 100 } }, CheckRuns, signal);
  const isWaiting = (run: (typeof runs)[number]): boolean =>
    run.status !== 'completed' && (run.details_url ?? '').includes(`/actions/runs/${id}/`);
  return runs.filter((run) => !isWaiting(run)).map((run) => ({ name: run.name, state: toRunState(run) }));
};
