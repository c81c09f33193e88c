import type { ForgeSimulator, SimulatedKind, SimulatedPull } from './simulated-forge.ts';

interface Carried {
  readonly operation: string;
  readonly path: string;
  readonly body: unknown;
  readonly query: URLSearchParams;
  readonly simulator: ForgeSimulator;
  readonly headOf: (branch: string) => string | null;
}

interface ForgeWords {
  readonly apiPath: string;
  readonly isProtected: string;
  authorization(token: string): string;
  carryOut(request: Carried): { readonly status: number; readonly body: unknown };
}

const OWN_ID = 7;
const COPY_ID = 8;
const NO_COMMIT = '0'.repeat(40);
const AT = '2026-11-28T08:00:00Z';

/** Opens a pull request as every forge does: of an existing branch, once, and not without commits. */
function open(
  { simulator, headOf }: Carried,
  given: { readonly branch: string; readonly into: string; readonly title: string; readonly body: string },
): SimulatedPull | 'exists' | 'missing' | 'empty' {
  const { branch, into } = given;
  const isSame = (pull: SimulatedPull) => pull.from === 'own' && pull.branch === branch && pull.into === into;
  if (simulator.pulls.some((pull) => isSame(pull) && pull.state === 'open')) return 'exists';
  if (headOf(branch) === null || headOf(into) === null) return 'missing';
  if (simulator.git('rev-list', '--count', `${into}..${branch}`) === '0') return 'empty';
  const pull: SimulatedPull = {
    ...given,
    number: simulator.pulls.length + 1,
    from: 'own',
    state: 'open',
    canMerge: null,
  };
  simulator.pulls.push(pull);
  return pull;
}

function findPull({ simulator, path }: Carried): SimulatedPull | undefined {
  return simulator.pulls.find(({ number }) => number === Number(path.split('/').at(-1)));
}

function takePage<T>(items: readonly T[], query: URLSearchParams, size: string): readonly T[] {
  const [perPage, page] = [Number(query.get(size) ?? 20), Number(query.get('page') ?? 1)];
  return items.slice((page - 1) * perPage, page * perPage);
}

const github: ForgeWords = {
  apiPath: '/api/v3',
  isProtected: 'error: GH006: Protected branch update failed',
  authorization: (token) => `Bearer ${token}`,
  carryOut(request) {
    const { operation, simulator, query, body, headOf } = request;
    const describe = (pull: SimulatedPull) => ({
      number: pull.number,
      state: pull.state === 'open' ? 'open' : 'closed',
      merged_at: pull.state === 'merged' ? AT : null,
      mergeable: pull.canMerge,
      html_url: 'https://elsewhere.example/pull/1',
      title: pull.title,
      head: {
        ref: pull.branch,
        sha: headOf(pull.branch) ?? NO_COMMIT,
        repo: { id: pull.from === 'own' ? OWN_ID : COPY_ID },
      },
      base: { ref: pull.into, repo: { id: OWN_ID } },
    });
    switch (operation) {
      case 'get /repos/{owner}/{repo}':
        return { status: 200, body: { default_branch: 'main', archived: simulator.repository.isArchived } };
      case 'get /repos/{owner}/{repo}/pulls': {
        const of = simulator.pulls.filter(({ branch }) => `ada:${branch}` === query.get('head')).toReversed();
        return { status: 200, body: takePage(of, query, 'per_page').map(describe) };
      }
      case 'post /repos/{owner}/{repo}/pulls': {
        const { head, base, title, body: text } = body as { head: string; base: string; title: string; body: string };
        const opened = open(request, { branch: head, into: base, title, body: text });
        if (typeof opened !== 'string') return { status: 201, body: describe(opened) };
        const message = { exists: `A pull request already exists for ada:${head}.`, missing: 'head is invalid', empty: `No commits between ${base} and ${head}` }[opened]; // prettier-ignore
        const errors = [{ resource: 'PullRequest', code: 'custom', message }];
        return { status: 422, body: { message: 'Validation Failed', errors } };
      }
      case 'get /repos/{owner}/{repo}/pulls/{pull_number}': {
        const pull = findPull(request);
        return pull ? { status: 200, body: describe(pull) } : { status: 404, body: { message: 'Not Found' } };
      }
      case 'get /repos/{owner}/{repo}/commits/{ref}/check-runs': {
        const runs = takePage(simulator.checks, query, 'per_page').map(({ name, state }) => ({
          name,
          status: state === 'pending' ? 'in_progress' : 'completed',
          conclusion: { pending: null, passed: 'success', failed: 'failure' }[state],
        }));
        return { status: 200, body: { total_count: simulator.checks.length, check_runs: runs.map(fillRun) } };
      }
      case 'get /repos/{owner}/{repo}/commits/{ref}/status':
        return { status: 200, body: { state: 'pending', statuses: [] } };
      case 'get /repos/{owner}/{repo}/installation':
        return simulator.app?.isInstalled
          ? { status: 200, body: { id: 42, app_id: 1 } }
          : { status: 404, body: { message: 'Not Found' } };
      case 'post /app/installations/{installation_id}/access_tokens': {
        const token = `ghs_${simulator.tokens.length}`;
        simulator.tokens.push(token);
        return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
      }
      default:
        throw new Error(`the simulator does not know ${operation}`);
    }
  },
};

/** The fields that the description wants of a run, and nobody reads. */
function fillRun(run: object, at: number) {
  const empty = { annotations_count: 0, annotations_url: '', summary: null, text: null, title: null };
  const ids = { id: at, head_sha: '', node_id: '', external_id: null, url: '', html_url: null, details_url: null };
  return {
    ...ids,
    started_at: null,
    completed_at: null,
    output: empty,
    check_suite: null,
    app: null,
    pull_requests: [],
    ...run,
  };
}

const gitlab: ForgeWords = {
  apiPath: '/api/v4',
  isProtected: 'GitLab: You are not allowed to push code to protected branches on this project.',
  authorization: (token) => `Bearer ${token}`,
  carryOut(request) {
    const { operation, simulator, query, body, headOf } = request;
    const describe = (pull: SimulatedPull) => ({
      iid: pull.number,
      state: pull.state === 'open' ? 'opened' : pull.state,
      source_branch: pull.branch,
      target_branch: pull.into,
      source_project_id: pull.from === 'own' ? OWN_ID : COPY_ID,
      target_project_id: OWN_ID,
      title: pull.title,
      sha: headOf(pull.branch) ?? NO_COMMIT,
      web_url: 'https://elsewhere.example/-/merge_requests/1',
      has_conflicts: pull.canMerge === false,
      detailed_merge_status: pull.canMerge === null ? 'checking' : 'mergeable',
    });
    switch (operation) {
      case 'get /projects/{id}':
        return { status: 200, body: { id: OWN_ID, default_branch: 'main', archived: simulator.repository.isArchived } };
      case 'get /projects/{id}/merge_requests': {
        const of = simulator.pulls.filter(({ branch }) => branch === query.get('source_branch')).toReversed();
        return { status: 200, body: takePage(of, query, 'per_page').map(describe) };
      }
      case 'post /projects/{id}/merge_requests': {
        const given = body as { source_branch: string; target_branch: string; title: string; description: string };
        const { source_branch: branch, target_branch: into, title, description } = given;
        const opened = open(request, { branch, into, title, body: description });
        if (typeof opened !== 'string') return { status: 201, body: describe(opened) };
        if (opened === 'exists')
          return {
            status: 409,
            body: { message: ['Another open merge request already exists for this source branch: !1'] },
          };
        return { status: 400, body: { message: [`Source branch "${branch}" does not exist`] } };
      }
      case 'get /projects/{id}/merge_requests/{merge_request_iid}': {
        const pull = findPull(request);
        return pull ? { status: 200, body: describe(pull) } : { status: 404, body: { message: '404 Not found' } };
      }
      case 'get /projects/{id}/repository/commits/{sha}/statuses': {
        const states = { pending: 'running', passed: 'success', failed: 'failed' } as const;
        const found = takePage(simulator.checks, query, 'per_page');
        return { status: 200, body: found.map(({ name, state }) => ({ name, status: states[state] })) };
      }
      default:
        throw new Error(`the simulator does not know ${operation}`);
    }
  },
};

const gitea: ForgeWords = {
  apiPath: '/api/v1',
  isProtected: 'Gitea: Not allowed to push to protected branch',
  authorization: (token) => `token ${token}`,
  carryOut(request) {
    const { operation, simulator, query, body, headOf } = request;
    const describe = (pull: SimulatedPull) => ({
      number: pull.number,
      state: pull.state === 'open' ? 'open' : 'closed',
      merged: pull.state === 'merged',
      ...(pull.canMerge === null ? {} : { mergeable: pull.canMerge }),
      html_url: 'https://elsewhere.example/pulls/1',
      title: pull.title,
      head: {
        label: pull.branch,
        ref: pull.branch,
        sha: headOf(pull.branch) ?? NO_COMMIT,
        repo_id: pull.from === 'own' ? OWN_ID : COPY_ID,
      },
      base: { label: pull.into, ref: pull.into, sha: headOf(pull.into) ?? NO_COMMIT, repo_id: OWN_ID },
    });
    switch (operation) {
      case 'get /repos/{owner}/{repo}':
        return { status: 200, body: { default_branch: 'main', archived: simulator.repository.isArchived } };
      case 'get /repos/{owner}/{repo}/pulls':
        return { status: 200, body: takePage(simulator.pulls.toReversed(), query, 'limit').map(describe) };
      case 'post /repos/{owner}/{repo}/pulls': {
        const { head, base, title, body: text } = body as { head: string; base: string; title: string; body: string };
        const opened = open(request, { branch: head, into: base, title, body: text });
        if (typeof opened !== 'string') return { status: 201, body: describe(opened) };
        const status = { exists: 409, missing: 404, empty: 422 }[opened];
        return { status, body: { message: `pull request ${opened}`, url: '' } };
      }
      case 'get /repos/{owner}/{repo}/pulls/{index}': {
        const pull = findPull(request);
        return pull ? { status: 200, body: describe(pull) } : { status: 404, body: { message: 'not found' } };
      }
      case 'get /repos/{owner}/{repo}/commits/{ref}/status': {
        const states = { pending: 'pending', passed: 'success', failed: 'failure' } as const;
        const statuses = simulator.checks.map(({ name, state }) => ({ context: name, status: states[state] }));
        return { status: 200, body: { statuses, total_count: statuses.length } };
      }
      default:
        throw new Error(`the simulator does not know ${operation}`);
    }
  },
};

/** What each forge says and does. */
export const FORGE_WORDS: Readonly<Record<SimulatedKind, ForgeWords>> = { github, gitlab, gitea };
