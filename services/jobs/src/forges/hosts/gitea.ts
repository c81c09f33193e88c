import { z } from 'zod';
import { MAX_PAGES, sumUpChecks, type ForgeProtocol } from '../forge-api.ts';
import { readErrorTexts } from '../forge-client.ts';

/** Gitea's default maximum of a page. */
const PAGE_SIZE = 50;
const Repository = z.object({ default_branch: z.string().min(1).max(255), archived: z.boolean().default(false) });
const Side = z.object({ label: z.string().nullish(), ref: z.string(), sha: z.string(), repo_id: z.int() });
const Pull = z.object({
  number: z.int().positive(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean().nullish(),
  mergeable: z.boolean().nullish(),
  head: Side.extend({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) }),
  base: Side,
});
/** A host leaves `statuses` null for a commit without any. */
const Statuses = z.object({
  statuses: z.array(z.object({ context: z.string().max(500), status: z.string() })).nullish(),
});

/** REST API of Gitea and Forgejo: https://docs.gitea.com/api, https://forgejo.org/docs/latest/user/api-usage */
export const GITEA: ForgeProtocol = {
  rights: 'write:repository',
  headers: {},
  authorize: (token) => `token ${token}`,
  connect(client, names) {
    const root = `/repos/${names.map(encodeURIComponent).join('/')}`;
    return {
      pagePath: (number) => `/${names.join('/')}/pulls/${number}`,
      async readRepository(signal) {
        const found = await client.ask({ method: 'GET', path: root }, Repository, signal);
        return { mainBranch: found.default_branch, isArchived: found.archived };
      },
      /** The list cannot be filtered by branch, so the pages are read from the change that was updated last. */
      async listChanges(branch, signal) {
        const found: z.infer<typeof Pull>[] = [];
        for (let page = 1; page <= MAX_PAGES; page += 1) {
          const query = { state: 'all', sort: 'recentupdate', limit: PAGE_SIZE, page };
          const pulls = await client.ask({ method: 'GET', path: `${root}/pulls`, query }, z.array(Pull), signal);
          // The ref of a deleted branch is another one, and its label stays.
          const isOf = ({ head }: z.infer<typeof Pull>) => head.ref === branch || head.label === branch;
          found.push(...pulls.filter((pull) => isOf(pull) && pull.head.repo_id === pull.base.repo_id));
          // A host may allow shorter pages, so only an empty one is the last; an open change ends the search.
          if (pulls.length === 0 || found.some(({ state }) => state === 'open')) break;
        }
        return found
          .map((pull) => ({ number: pull.number, state: toState(pull) }))
          .toSorted((one, other) => other.number - one.number);
      },
      async readChange(number, signal) {
        const pull = await client.ask({ method: 'GET', path: `${root}/pulls/${number}` }, Pull, signal);
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
        if (answer.status === 409 || /already exists/i.test(readErrorTexts(answer.body))) return false;
        throw client.explain(answer);
      },
      async readChecks(commit, signal) {
        const path = `${root}/commits/${commit}/status`;
        const { statuses } = await client.ask({ method: 'GET', path, query: { limit: PAGE_SIZE } }, Statuses, signal);
        return sumUpChecks(
          (statuses ?? []).map(({ context: name, status }) => ({ name, state: toCheckState(status) })),
        );
      },
    };
  },
};

function toCheckState(status: string): 'pending' | 'passed' | 'failed' {
  if (status === 'success' || status === 'warning' || status === 'skipped') return 'passed';
  return status === 'pending' ? 'pending' : 'failed';
}

function toState({ state, merged }: z.infer<typeof Pull>): 'open' | 'merged' | 'closed' {
  if (state === 'open') return 'open';
  return merged === true ? 'merged' : 'closed';
}
