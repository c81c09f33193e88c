import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { MAX_PAGES, sumUpChecks, type ForgeProtocol } from '../forge-api.ts';
import { readErrorTexts } from '../forge-client.ts';

const PAGE_SIZE = 100;
const Repository = z.object({ default_branch: z.string().min(1).max(255), archived: z.boolean().default(false) });
const Pull = z.object({
  number: z.int().positive(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullish(),
  head: z.object({
    ref: z.string(),
    sha: z.string().regex(/^[0-9a-f]{40,64}$/),
    repo: z.object({ id: z.int() }).nullish(),
  }),
  base: z.object({ repo: z.object({ id: z.int() }) }),
});
const WholePull = Pull.extend({ mergeable: z.boolean().nullish() });
const CheckRuns = z.object({
  check_runs: z.array(z.object({ name: z.string().max(500), status: z.string(), conclusion: z.string().nullish() })),
});
const Statuses = z.object({ statuses: z.array(z.object({ context: z.string().max(500), state: z.string() })) });

/** Conclusions of a check that need nobody. Any other is a failure, also one that GitHub adds later. */
const GOOD = new Set(['success', 'neutral', 'skipped']);

/** REST API of GitHub and GitHub Enterprise: https://docs.github.com/rest */
export const GITHUB: ForgeProtocol = {
  rights: 'Contents: write, Pull requests: write (classic: repo)',
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  authorize: (token) => `Bearer ${token}`,
  connect(client, names) {
    const root = `/repos/${names.map(encodeURIComponent).join('/')}`;
    return {
      pagePath: (number) => `/${names.join('/')}/pull/${number}`,
      async readRepository(signal) {
        const found = await client.ask({ method: 'GET', path: root }, Repository, signal);
        return { mainBranch: found.default_branch, isArchived: found.archived };
      },
      async listChanges(branch, signal) {
        const query = { head: `${names[0] ?? ''}:${branch}`, state: 'all', sort: 'created', direction: 'desc' };
        const call = { method: 'GET', path: `${root}/pulls`, query: { ...query, per_page: PAGE_SIZE } } as const;
        const pulls = await client.ask(call, z.array(Pull), signal);
        return pulls
          .filter(({ head, base }) => head.ref === branch && head.repo?.id === base.repo.id)
          .map((pull) => ({ number: pull.number, state: toState(pull) }));
      },
      async readChange(number, signal) {
        const pull = await client.ask({ method: 'GET', path: `${root}/pulls/${number}` }, WholePull, signal);
        const { mergeable = null } = pull;
        return { number: pull.number, state: toState(pull), commit: pull.head.sha, canMerge: mergeable };
      },
      async create({ branch, into, title, body }, signal) {
        const call = {
          method: 'POST',
          path: `${root}/pulls`,
          body: { title, body, head: branch, base: into },
        } as const;
        const answer = await client.send(call, signal);
        if (answer.status === 201) return true;
        const texts = readErrorTexts(answer.body);
        if (answer.status === 422 && /already exists/i.test(texts)) return false;
        if (answer.status === 422 && /no commits between/i.test(texts))
          throw client.refuse(say('forge.noCommits', { into }));
        throw client.explain(answer);
      },
      async readChecks(commit, signal) {
        const at = `${root}/commits/${commit}`;
        const checks: { name: string; state: 'pending' | 'passed' | 'failed' }[] = [];
        for (let page = 1; page <= MAX_PAGES; page += 1) {
          const call = { method: 'GET', path: `${at}/check-runs`, query: { per_page: PAGE_SIZE, page } } as const;
          const { check_runs: runs } = await client.ask(call, CheckRuns, signal);
          for (const run of runs) checks.push({ name: run.name, state: toRunState(run) });
          if (runs.length < PAGE_SIZE) break;
        }
        const call = { method: 'GET', path: `${at}/status`, query: { per_page: PAGE_SIZE } } as const;
        const { statuses } = await client.ask(call, Statuses, signal);
        for (const { context: name, state } of statuses) checks.push({ name, state: toStatusState(state) });
        return sumUpChecks(checks);
      },
    };
  },
};

function toState({ state, merged_at: mergedAt }: z.infer<typeof Pull>): 'open' | 'merged' | 'closed' {
  if (state === 'open') return 'open';
  return mergedAt ? 'merged' : 'closed';
}

/** Reads the state of a check run. Pure. */
export function toRunState(run: { readonly status: string; readonly conclusion?: string | null | undefined }) {
  if (run.status !== 'completed') return 'pending';
  return GOOD.has(run.conclusion ?? '') ? 'passed' : 'failed';
}

function toStatusState(state: string): 'pending' | 'passed' | 'failed' {
  if (state === 'success') return 'passed';
  return state === 'pending' ? 'pending' : 'failed';
}
