import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { MAX_PAGES, sumUpChecks, type ForgeProtocol } from '../forge-api.ts';
import { readErrorTexts } from '../forge-client.ts';

const PAGE_SIZE = 100;
const Project = z.object({
  default_branch: z.string().min(1).max(255).nullish(),
  archived: z.boolean().default(false),
});
const MergeRequest = z.object({
  iid: z.int().positive(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  source_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
});
const WholeMergeRequest = MergeRequest.extend({
  sha: z.string().regex(/^[0-9a-f]{40,64}$/),
  has_conflicts: z.boolean().nullish(),
  detailed_merge_status: z.string().nullish(),
});
const Statuses = z.array(
  z.object({ name: z.string().max(500), status: z.string(), allow_failure: z.boolean().nullish() }),
);

const STATES = { opened: 'open', locked: 'open', merged: 'merged', closed: 'closed' } as const;
const GOOD = new Set(['success', 'skipped', 'manual']);
const BAD = new Set(['failed', 'canceled']);
/** Answers while GitLab still computes whether the branches merge. */
const UNKNOWN = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing']);

/** REST API of GitLab: https://docs.gitlab.com/api/rest */
export const GITLAB: ForgeProtocol = {
  rights: 'api, write_repository (role Developer)',
  headers: {},
  authorize: (token) => `Bearer ${token}`,
  connect(client, names) {
    const root = `/projects/${encodeURIComponent(names.join('/'))}`;
    return {
      pagePath: (number) => `/${names.join('/')}/-/merge_requests/${number}`,
      async readRepository(signal) {
        const found = await client.ask({ method: 'GET', path: root }, Project, signal);
        if (!found.default_branch) throw client.refuse(say('forge.noMainBranch'));
        return { mainBranch: found.default_branch, isArchived: found.archived };
      },
      async listChanges(branch, signal) {
        const query = {
          source_branch: branch,
          state: 'all',
          order_by: 'created_at',
          sort: 'desc',
          per_page: PAGE_SIZE,
        };
        const found = await client.ask(
          { method: 'GET', path: `${root}/merge_requests`, query },
          z.array(MergeRequest),
          signal,
        );
        return found
          .filter((one) => one.source_branch === branch && one.source_project_id === one.target_project_id)
          .map((one) => ({ number: one.iid, state: STATES[one.state] }));
      },
      async readChange(number, signal) {
        const path = `${root}/merge_requests/${number}`;
        const found = await client.ask({ method: 'GET', path }, WholeMergeRequest, signal);
        const isUnknown = UNKNOWN.has(found.detailed_merge_status ?? 'unchecked');
        const canMerge = found.has_conflicts !== true;
        return {
          number: found.iid,
          state: STATES[found.state],
          commit: found.sha,
          canMerge: canMerge && isUnknown ? null : canMerge,
        };
      },
      async create({ branch, into, title, body }, signal) {
        const texts = { title, description: body, remove_source_branch: true };
        const content = { source_branch: branch, target_branch: into, ...texts };
        const answer = await client.send({ method: 'POST', path: `${root}/merge_requests`, body: content }, signal);
        if (answer.status === 201) return true;
        if (answer.status === 409 || /already exists/i.test(readErrorTexts(answer.body))) return false;
        throw client.explain(answer);
      },
      async readChecks(commit, signal) {
        const checks: { name: string; state: 'pending' | 'passed' | 'failed' }[] = [];
        for (let page = 1; page <= MAX_PAGES; page += 1) {
          const path = `${root}/repository/commits/${commit}/statuses`;
          const found = await client.ask(
            { method: 'GET', path, query: { per_page: PAGE_SIZE, page } },
            Statuses,
            signal,
          );
          for (const { name, status, allow_failure: mayFail } of found)
            checks.push({ name, state: toCheckState(status, mayFail === true) });
          if (found.length < PAGE_SIZE) break;
        }
        return sumUpChecks(checks);
      },
    };
  },
};

/** Reads the state of a job; one that may fail has passed. Pure. */
export function toCheckState(status: string, mayFail: boolean): 'pending' | 'passed' | 'failed' {
  if (GOOD.has(status) || (mayFail && BAD.has(status))) return 'passed';
  return BAD.has(status) ? 'failed' : 'pending';
}
