import { openEmbedder } from '@signalbox/models/embeddings/settings';
import { readVectorState, type VectorState } from '@signalbox/store/migrations/vector-columns';
import { readRow } from '@signalbox/store/sql';
import type { CommandContext } from '../command.ts';
import { formatCount } from '../table.ts';
import { createOk, createWarning, getReason, type CheckResult } from './finding.ts';

/** Says how searches rank, and of how many projects the code is indexed. At most a warning: without an index, all else works. */
export async function checkSearch(context: CommandContext): Promise<readonly CheckResult[]> {
  const { config, database } = context;
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
    const { way, remedy: vectorRemedy } = await describeWay(context);
    const found = `${way}; the code of ${formatCount(projects, 'project')} is indexed, in ${formatCount(commits, 'commit')}`;
    if (failed !== null) {
      const remedy = '`runs --job knowledge.code` says why; it is tried again every ten minutes.';
      return [createWarning('search', `${found}; not that of ${failed}`, remedy)];
    }
    return [vectorRemedy === null ? createOk('search', found) : createWarning('search', found, vectorRemedy)];
  } catch (error) {
    return [
      createWarning('search', `cannot be looked up: ${getReason(error)}`, 'Mend what the check of Postgres names.'),
    ];
  }
}

interface SearchWay {
  readonly way: string;
  /** What to do when vectors are configured and do not work; null when all is as configured. */
  readonly remedy: string | null;
}

const REMEDIES: Readonly<Record<Exclude<VectorState, 'ready'>, readonly [why: string, remedy: string]>> = {
  missing: ['the server has no extension `vector`', 'Install pgvector 0.7 or newer on it, then run `migrate`.'],
  old: [
    'the extension `vector` is older than 0.7',
    'Install a newer pgvector, update the extension, then run `migrate`.',
  ],
  forbidden: [
    'the extension `vector` is not created',
    'Run `migrate`; if it may not create it, an administrator runs `create extension vector` first.',
  ],
  unmigrated: ['the tables have no vectors yet', 'Run `migrate`.'],
};

/** Sends one word to the endpoint, and nothing of the installation. */
async function describeWay({ config, database }: CommandContext): Promise<SearchWay> {
  const embedder = openEmbedder(config);
  if (embedder === null) return { way: 'by words', remedy: null };
  const state = await readVectorState(database());
  if (state !== 'ready') return { way: `by words, because ${REMEDIES[state][0]}`, remedy: REMEDIES[state][1] };
  const answer = await embedder.embed(['Signalbox']);
  if (answer.kind === 'failed') {
    const why = `${answer.reason}${answer.status === null ? '' : `, HTTP ${answer.status}`}`;
    const remedy = 'Mend EMBEDDINGS_URL, EMBEDDINGS_MODEL or EMBEDDINGS_API_KEY, or the server there.';
    return { way: `by words, because the embeddings endpoint fails (${why})`, remedy };
  }
  const { passages } = await readRow<{ passages: number }>(database())`
    select ((select count(*) from code_vectors v where v.model = ${embedder.model} and v.dims = ${answer.dims})
          + (select count(*) from manual_vectors v where v.model = ${embedder.model} and v.dims = ${answer.dims}))::int as passages`;
  return { way: `by words and by vectors of ${formatCount(passages, 'passage')} (${embedder.model})`, remedy: null };
}
