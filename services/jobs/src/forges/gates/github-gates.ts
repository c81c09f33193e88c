import { toForgeAccount, type GateFacts } from '@signalbox/contracts/operations/gate';
import type { OpenGate } from '@signalbox/store/governance/gates';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { sumUpChecks } from '../forge-api.ts';
import { createForgeClient, type ForgeClient, type ForgeLimits } from '../forge-client.ts';
import { fetchInstallationToken, isFresh, type GithubApp, type InstallationToken } from '../hosts/github-app.ts';
import { GITHUB, toRunState } from '../hosts/github.ts';
import { MAX_TITLES, OVER, readPart, toLine, toTitle, type GateDriver } from './gate-driver.ts';

const RIGHTS = 'Actions: read, Checks: read, Contents: read, Deployments: write';
/** Earlier deployments that are looked at for the last one that succeeded. */
const MAX_EARLIER = 5;

const Account = z.object({ id: z.int().positive(), login: z.string().max(100), type: z.string() });
const Run = z.object({
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
  readonly limits?: Partial<ForgeLimits>;
}): GateDriver {
  const { api, app, dispatcher, limits } = options;
  const tokens = new Map<string, InstallationToken>();
  const connect = (repository: string, authorize: (signal: AbortSignal) => Promise<string>): ForgeClient =>
    createForgeClient({
      api,
      name: 'GitHub',
      repository,
      rights: RIGHTS,
      headers: GITHUB.headers,
      authorize,
      dispatcher,
      ...(limits ? { limits } : {}),
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
  return {
    name: 'GitHub',
    read: (gate, signal) => readFacts(open(gate.repository), gate, signal),
    async answer(gate, { state, comment }, signal) {
      const client = open(gate.repository);
      const { run, environment } = gate.target;
      const path = `${toRoot(gate)}/actions/runs/${run}/deployment_protection_rule`;
      const body = { environment_name: environment, state, comment };
      const answer = await client.send({ method: 'POST', path, body }, signal);
      if (answer.status >= 200 && answer.status < 300) return { kind: 'taken' };
      const isOver = OVER.has(answer.status);
      // An earlier answer may have arrived although its reply was lost: then the environment does not wait any more.
      if (isOver && gate.tries > 0 && !(await isPending(client, gate, signal))) return { kind: 'taken' };
      return { kind: 'refused', error: client.explain(answer), isOver };
    },
  };
}

function toRoot({ repository }: OpenGate): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
}

async function isPending(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<boolean> {
  const path = `${toRoot(gate)}/actions/runs/${gate.target.run}/pending_deployments`;
  const answer = await client.send({ method: 'GET', path }, signal);
  const pending = Pending.safeParse(answer.body);
  return !pending.success || pending.data.some(({ environment }) => environment.name === gate.target.environment);
}

async function readFacts(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts> {
  const unread: GateFacts['unread'] = [];
  const path = `${toRoot(gate)}/actions/runs/${gate.target.run}`;
  const [run, commits, checks] = await Promise.all([
    readPart(unread, 'run', () => client.ask({ method: 'GET', path }, Run, signal)),
    readPart(unread, 'commits', () => readCommits(client, gate, signal)),
    readPart(unread, 'checks', () => readChecks(client, gate, signal)),
  ]);
  const { triggering_actor: starter, actor: first } = run ?? {};
  const people = [starter, first].filter((one) => one?.type === 'User');
  return {
    attempt: run?.run_attempt ?? null,
    accounts: [...new Set(people.flatMap((one) => (one ? [toForgeAccount('github', one.id)] : [])))],
    actor: starter && /^[\x21-\x7e]{1,80}$/.test(starter.login) ? starter.login : null,
    commits,
    checks,
    unread: unread.toSorted(),
  };
}

/** Reads the commits since the last deployment to the environment that succeeded; null without one. */
async function readCommits(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts['commits']> {
  const { environment, commit, deployment } = gate.target;
  const root = toRoot(gate);
  const query = { environment, per_page: MAX_EARLIER + 1 };
  const found = await client.ask({ method: 'GET', path: `${root}/deployments`, query }, Deployments, signal);
  for (const { id, sha } of found.filter((one) => one.id !== deployment)) {
    const path = `${root}/deployments/${id}/statuses`;
    const statuses = await client.ask({ method: 'GET', path, query: { per_page: 10 } }, Statuses, signal);
    if (!statuses.some(({ state }) => state === 'success')) continue;
    if (sha === commit) return { count: 0, titles: [] };
    const compared = await client.ask(
      { method: 'GET', path: `${root}/compare/${sha}...${commit}` },
      Comparison,
      signal,
    );
    const newest = compared.commits.slice(-MAX_TITLES).toReversed();
    return { count: compared.total_commits, titles: newest.map((one) => toTitle(one.sha, one.commit.message)) };
  }
  return null;
}

/** Sums up the checks of the commit. The jobs of the run itself that have not ended are those that wait for the gate. */
async function readChecks(client: ForgeClient, gate: OpenGate, signal: AbortSignal): Promise<GateFacts['checks']> {
  const { commit, run: id } = gate.target;
  const path = `${toRoot(gate)}/commits/${commit}/check-runs`;
  const { check_runs: runs } = await client.ask({ method: 'GET', path, query: { per_page: 100 } }, CheckRuns, signal);
  const isWaiting = (run: (typeof runs)[number]): boolean =>
    run.status !== 'completed' && (run.details_url ?? '').includes(`/actions/runs/${id}/`);
  const { state, failed } = sumUpChecks(
    runs.filter((run) => !isWaiting(run)).map((run) => ({ name: toLine(run.name), state: toRunState(run) })),
  );
  return { state, failed: [...failed] };
}
