import { isSignedBy, type AppKey } from './app-token.ts';
import type { Runs, SimulatedRun } from './runs.ts';

export interface ApiRequest {
  readonly method: string;
  /** Path below the API, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
}

const INSTALLATION = 119_022_551;
const AT = '2026-11-28T08:00:00Z';
const NOT_FOUND: ApiAnswer = { status: 404, body: { message: 'Not Found' } };

/** Answers like the API of GitHub, for the requests of an App that reviews deployments. */
export function createGithubApi(runs: Runs, app: AppKey) {
  const tokens = new Set<string>();
  return ({ method, path, query, body, authorization }: ApiRequest): ApiAnswer => {
    const [, , owner, name, ...rest] = path.split('/');
    const login = authorization.replace(/^Bearer /, '');
    const isApp = path.startsWith('/app/') || rest.join('/') === 'installation';
    if (isApp ? !isSignedBy(app, login) : !tokens.has(login))
      return { status: 401, body: { message: 'Bad credentials' } };
    if (path === `/app/installations/${INSTALLATION}/access_tokens` && method === 'POST') {
      const token = `ghs_${tokens.size}`;
      tokens.add(token);
      return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
    }
    if (!path.startsWith('/repos/')) return NOT_FOUND;
    if (isApp) return { status: 200, body: { id: INSTALLATION } };
    const own = runs.all.filter(({ repository }) => repository.full_name === `${owner}/${name}`);
    if (rest[0] === 'actions' && rest[1] === 'runs') return answerRun(own, rest.slice(2), method, body);
    if (rest[0] === 'deployments') return answerDeployments(own, rest.slice(1), query);
    if (rest[0] === 'compare') return compare(own, rest.slice(1).join('/'));
    if (rest[0] === 'commits' && rest[2] === 'check-runs') return listChecks(own, rest[1] ?? '');
    return NOT_FOUND;
  };
}

function answerRun(
  own: readonly SimulatedRun[],
  [id, what]: readonly string[],
  method: string,
  body: unknown,
): ApiAnswer {
  const run = own.find((one) => String(one.id) === id);
  if (!run) return NOT_FOUND;
  if (what === undefined) {
    const { actor, starter: triggering_actor, attempt: run_attempt, commit: head_sha, ref: head_branch } = run;
    const status = run.state === 'waiting' ? 'waiting' : 'completed';
    return { status: 200, body: { id: run.id, head_sha, head_branch, status, run_attempt, actor, triggering_actor } };
  }
  if (what === 'pending_deployments') {
    const { environment } = run;
    return {
      status: 200,
      body: run.state === 'waiting' ? [{ environment: { name: environment }, reviewers: [] }] : [],
    };
  }
  if (what !== 'deployment_protection_rule' || method !== 'POST') return NOT_FOUND;
  const { environment_name: environment, state, comment } = (body ?? {}) as Record<string, unknown>; // each is checked below
  const isAnswer = state === 'approved' || state === 'rejected';
  if (!isAnswer || typeof comment !== 'string') return { status: 422, body: { message: 'Validation Failed' } };
  if (environment !== run.environment || run.state !== 'waiting')
    return { status: 422, body: { message: 'No pending deployment requests to approve or reject' } };
  Object.assign(run, { state, comment });
  return { status: 204 };
}

function answerDeployments(
  own: readonly SimulatedRun[],
  [id, what]: readonly string[],
  query: URLSearchParams,
): ApiAnswer {
  if (id === undefined) {
    const found = own.filter(({ environment }) => environment === query.get('environment')).toReversed();
    const size = Number(query.get('per_page') ?? 30);
    return { status: 200, body: found.slice(0, size).map((run) => ({ id: run.deployment, sha: run.commit })) };
  }
  const run = own.find(({ deployment }) => String(deployment) === id);
  if (!run || what !== 'statuses') return NOT_FOUND;
  const state = { waiting: 'waiting', approved: 'success', rejected: 'failure', cancelled: 'inactive' }[run.state];
  return { status: 200, body: [{ state, created_at: AT }] };
}

/** The commits of the runs after that of the base, until that of the head. */
function compare(own: readonly SimulatedRun[], range: string): ApiAnswer {
  const [base, head] = range.split('...');
  const from = own.findIndex(({ commit }) => commit === base);
  const until = own.findIndex(({ commit }) => commit === head);
  if (from === -1 || until === -1) return NOT_FOUND;
  const commits = own.slice(from + 1, until + 1).map(({ commit: sha, message }) => ({ sha, commit: { message } }));
  return { status: 200, body: { status: 'ahead', total_commits: commits.length, commits } };
}

function listChecks(own: readonly SimulatedRun[], commit: string): ApiAnswer {
  const checks = own
    .filter((run) => run.commit === commit)
    .flatMap((run) => {
      const details_url = `https://github.com/${run.repository.full_name}/actions/runs/${run.id}/job/1`;
      const waits = { name: `deploy (${run.environment})`, status: 'waiting', conclusion: null, details_url };
      const tests = { name: 'test', status: 'completed', conclusion: 'success', details_url };
      return run.state === 'waiting' ? [tests, waits] : [tests];
    });
  return { status: 200, body: { total_count: checks.length, check_runs: checks } };
}
