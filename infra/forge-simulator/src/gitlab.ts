import type { ApiAnswer, ApiRequest } from './github-api.ts';
import type { WebhookTarget } from './github-webhooks.ts';
import type { Runs, SimulatedRun } from './runs.ts';

/** A token that may approve deployments. Not a secret, because it is valid only on this machine. */
export const GITLAB_TOKEN = 'glpat-of-the-simulator';

const NOT_FOUND: ApiAnswer = { status: 404, body: { message: '404 Not found' } };
const STATUS = { waiting: 'blocked', approved: 'success', rejected: 'failed', cancelled: 'canceled' } as const;

/** Answers like the API of GitLab, for whoever approves deployments to protected environments. A run is a job here. */
export function createGitlabApi(runs: Runs) {
  return ({ method, path, query, body, authorization }: ApiRequest): ApiAnswer => {
    if (authorization !== `Bearer ${GITLAB_TOKEN}`) return { status: 401, body: { message: '401 Unauthorized' } };
    const [, , project, ...rest] = path.split('/');
    const own = runs.all.filter(({ repository }) => String(repository.id) === project);
    const [what, id, verb] = rest;
    if (what === 'deployments' && id === undefined) {
      const found = own.filter(
        (run) => run.environment === query.get('environment') && STATUS[run.state] === query.get('status'),
      );
      return {
        status: 200,
        body: found
          .toReversed()
          .slice(0, Number(query.get('per_page') ?? 20))
          .map(describe),
      };
    }
    if (what === 'deployments') {
      const run = own.find(({ deployment }) => String(deployment) === id);
      if (!run) return NOT_FOUND;
      return verb === 'approval' && method === 'POST' ? approve(run, body) : { status: 200, body: describe(run) };
    }
    if (what === 'repository' && id === 'compare') return compare(own, query);
    if (what === 'repository' && rest[3] === 'statuses') return { status: 200, body: listStatuses(own, rest[2] ?? '') };
    return NOT_FOUND;
  };
}

function describe(run: SimulatedRun) {
  const { id, login } = run.starter;
  const approvals = run.comment === null ? [] : [{ status: run.state, comment: run.comment }];
  return {
    id: run.deployment,
    iid: 1,
    status: STATUS[run.state],
    sha: run.commit,
    ref: run.ref,
    user: { id, username: login, name: login },
    deployable: { id: run.id },
    approvals,
  };
}

function approve(run: SimulatedRun, body: unknown): ApiAnswer {
  const { status, comment } = (body ?? {}) as Record<string, unknown>; // each is checked below
  if (status !== 'approved' && status !== 'rejected') return { status: 400, body: { error: 'status is invalid' } };
  if (run.state !== 'waiting')
    return { status: 400, body: { message: 'This deployment is not waiting for approvals.' } };
  Object.assign(run, { state: status, comment: typeof comment === 'string' ? comment : null });
  return { status: 201, body: { user: { id: 1, username: 'signalbox' }, status, comment } };
}

function compare(own: readonly SimulatedRun[], query: URLSearchParams): ApiAnswer {
  const from = own.findIndex(({ commit }) => commit === query.get('from'));
  const until = own.findIndex(({ commit }) => commit === query.get('to'));
  if (from === -1 || until === -1) return NOT_FOUND;
  const commits = own.slice(from + 1, until + 1).map(({ commit: id, message: title }) => ({ id, title }));
  return { status: 200, body: { commits } };
}

function listStatuses(own: readonly SimulatedRun[], commit: string) {
  return own
    .filter((run) => run.commit === commit)
    .flatMap((run) => [
      { id: run.id, name: 'deploy', status: run.state === 'waiting' ? 'manual' : 'success', allow_failure: false },
      { id: run.id + 1_000_000, name: 'test', status: 'success', allow_failure: false },
    ]);
}

/** The event of a deployment that waits for approvals, in the shape that GitLab sends. */
export function describeBlocked(run: SimulatedRun): object {
  const { repository, environment, deployment, commit, ref, starter, id } = run;
  const web = `https://gitlab.example/${repository.full_name}`;
  return {
    object_kind: 'deployment',
    status: 'blocked',
    status_changed_at: '2026-11-28 08:00:00 +0000',
    deployment_id: deployment,
    deployable_id: id,
    deployable_url: `${web}/-/jobs/${id}`,
    environment,
    environment_tier: 'production',
    project: { id: repository.id, web_url: web, path_with_namespace: repository.full_name, default_branch: 'main' },
    short_sha: commit.slice(0, 8),
    user: { id: starter.id, name: starter.login, username: starter.login },
    user_url: `https://gitlab.example/${starter.login}`,
    commit_url: `${web}/-/commit/${commit}`,
    commit_title: run.message,
    ref,
  };
}

/** Sends a webhook as GitLab does, and returns the status of the answer. */
export async function sendGitlabWebhook({ url, secret }: WebhookTarget, body: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gitlab-event': 'Deployment Hook', 'x-gitlab-token': secret },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}
