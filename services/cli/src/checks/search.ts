import { readRow } from '@signalbox/store/sql';
import type { CommandContext } from '../command.ts';
import { formatCount } from '../table.ts';
import { createOk, createWarning, getReason, type CheckResult } from './finding.ts';

/** Says how searches rank, and of how many projects the code is indexed. At most a warning: without an index, all else works. */
export async function checkSearch({ config, database }: CommandContext): Promise<readonly CheckResult[]> {
  if (config.DATABASE_URL === undefined) return []; // checkDatabase reports a missing URL.
  try {
    const { projects, commits, failed } = await readRow<{ projects: number; commits: number; failed: string | null }>(
      database(),
    )`select count(distinct project)::int as projects, count(*)::int as commits,
             (select string_agg(distinct f.payload ->> 'codeOf', ', ') from runs f
               where f.job = 'knowledge.code' and f.status = 'failed' and f.created_at > now() - interval '1 day'
                 and not exists (select from runs d where d.job = f.job and d.status = 'done' and d.created_at > f.created_at
                                    and d.payload ->> 'codeOf' = f.payload ->> 'codeOf')) as failed
        from code_refs`;
    const found = `by words; the code of ${formatCount(projects, 'project')} is indexed, in ${formatCount(commits, 'commit')}`;
    if (failed === null) return [createOk('search', found)];
    const remedy = '`runs --job knowledge.code` says why; it is tried again every ten minutes.';
    return [createWarning('search', `${found}; not that of ${failed}`, remedy)];
  } catch (error) {
    return [
      createWarning('search', `cannot be looked up: ${getReason(error)}`, 'Mend what the check of Postgres names.'),
    ];
  }
}
