import { posix } from 'node:path';
import { splitWords } from '@signalbox/contracts/identifier-words';
import type { CodeCounts, NeededCommit } from '@signalbox/contracts/repository/code-index';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue, listRows, listValues, sql } from '@signalbox/store/sql';
import type { SplitText } from './code-passages.ts';

const { basename, dirname } = posix;

/** A content with the way in which it is split. */
export interface TextKey {
  readonly blob: string;
  readonly form: string;
}

export interface CodePath extends TextKey {
  readonly path: string;
  readonly weight: number;
}

/** A text that no path holds is kept this long, because another process may be about to add its paths. */
const KEPT_UNUSED = sql`interval '1 hour'`;
const MAX_REMOVED = 5_000;

/** Stores texts of repositories for searches. All writes are idempotent, and safe from several processes. */
export function createCodeStore(pool: Pool) {
  return {
    /** Returns which of these texts are stored, as `blob form`. */
    async known(keys: readonly TextKey[]): Promise<ReadonlySet<string>> {
      const rows = await listValues<string>(pool)`select t.blob || ' ' || t.form
        from unnest(${keys.map(({ blob }) => blob)}::text[], ${keys.map(({ form }) => form)}::text[]) as k (blob, form)
        join code_texts t using (blob, form)`;
      return new Set(rows);
    },

    /** Adds texts in one transaction; those that another process has added meanwhile stay as they are. Pass them in order of their blobs. */
    add: (texts: readonly (TextKey & SplitText & { readonly isDocs: boolean })[]): Promise<number> =>
      withTransaction(pool, async (db) => {
        let added = 0;
        for (const { blob, form, isDocs, passages, symbols } of texts) {
          const textId = await findValue<string>(db)`insert into code_texts (blob, form, is_docs)
            values (${blob}, ${form}, ${isDocs}) on conflict do nothing returning text_id`;
          if (textId === null) continue;
          added += 1;
          await addPassages(db, textId, { passages, symbols });
        }
        const words = new Set(texts.flatMap(listPlainWords));
        // Words are sorted, so that two writers cannot deadlock.
        await db.query(
          sql`insert into knowledge_words (word) select * from unnest(${[...words].sort()}::text[]) on conflict do nothing`,
        );
        return added;
      }),

    /** Makes a commit searchable: all its paths appear at once. Throws when a text is not stored. */
    attach: (
      project: string,
      { commit, names, isMain }: NeededCommit,
      counts: CodeCounts,
      paths: readonly CodePath[],
    ) =>
      withTransaction(pool, async (db) => {
        await lockProject(db, project);
        await db.query(sql`insert into code_refs (project, commit, names, is_main, counts)
          values (${project}, ${commit}, ${names}, ${isMain}, ${JSON.stringify(counts)}::jsonb)
          on conflict (project, commit) do update set names = excluded.names, is_main = excluded.is_main, counts = excluded.counts`);
        await db.query(sql`delete from code_paths where project = ${project} and commit = ${commit}`);
        const added = await db.query(sql`insert into code_paths (project, commit, path, text_id, weight, words)
          select ${project}, ${commit}, p.path, t.text_id, p.weight, setweight(to_tsvector('english', p.name) || to_tsvector('simple', p.name), 'A') || to_tsvector('simple', p.folders)
            from unnest(${paths.map(({ path }) => path)}::text[], ${paths.map(({ blob }) => blob)}::text[],
              ${paths.map(({ form }) => form)}::text[], ${paths.map(({ weight }) => weight)}::real[],
              ${paths.map(({ path }) => splitWords(basename(path).replace(/\.\w+$/, '')))}::text[],
              ${paths.map(({ path }) => splitWords(dirname(path)))}::text[]) as p (path, blob, form, weight, name, folders)
            join code_texts t using (blob, form)`);
        if (added.rowCount !== paths.length) throw new Error(`${paths.length - (added.rowCount ?? 0)} texts are gone`);
      }),

    /** Lists the stored commits of a project. */
    commits: (project: string) =>
      listRows<NeededCommit & { readonly counts: CodeCounts }>(pool)`
        select commit, names, is_main as "isMain", counts from code_refs where project = ${project}`,

    /** Renames the stored commits, removes the others, and removes texts that nothing holds any more. Returns the removed commits. */
    async retain(project: string, commits: readonly NeededCommit[]): Promise<number> {
      const removed = await withTransaction(pool, async (db) => {
        await lockProject(db, project);
        for (const { commit, names, isMain } of commits)
          await db.query(
            sql`update code_refs set names = ${names}, is_main = ${isMain} where project = ${project} and commit = ${commit}`,
          );
        const gone = await db.query(sql`delete from code_refs
          where project = ${project} and not commit = any (${commits.map(({ commit }) => commit)}::text[])`);
        return gone.rowCount ?? 0;
      });
      await withTransaction(pool, async (db) => {
        await db.query(sql`select pg_advisory_xact_lock(hashtextextended('knowledge:code', 0))`);
        await db.query(sql`delete from code_texts where text_id in (
          select t.text_id from code_texts t where t.made_at < now() - ${KEPT_UNUSED}
             and not exists (select from code_paths p where p.text_id = t.text_id)
           order by t.text_id limit ${MAX_REMOVED})`);
      });
      return removed;
    },
  };
}

export type CodeStore = ReturnType<typeof createCodeStore>;

async function addPassages(db: Queryable, textId: string, { passages, symbols }: SplitText): Promise<void> {
  await db.query(sql`insert into code_passages (text_id, line, heading, content, search)
    select ${textId}, p.line, p.heading, p.content,
           setweight(to_tsvector('english', p.above) || to_tsvector('simple', p.above), 'A') ||
           setweight(to_tsvector('english', p.words) || to_tsvector('simple', p.words), 'C')
      from unnest(${passages.map(({ line }) => line)}::int[], ${passages.map(({ heading }) => heading)}::text[],
        ${passages.map(({ content }) => content)}::text[], ${passages.map(({ headingWords }) => headingWords)}::text[],
        ${passages.map(({ contentWords }) => contentWords)}::text[]) as p (line, heading, content, above, words)`);
  if (symbols.length === 0) return;
  await db.query(sql`insert into code_symbols (text_id, line, name, kind)
    select ${textId}, s.line, s.name, s.kind from unnest(${symbols.map(({ line }) => line)}::int[],
      ${symbols.map(({ name }) => name)}::text[], ${symbols.map(({ kind }) => kind)}::text[]) as s (line, name, kind)`);
}

/** Lists the words with which mistyped words are compared: those of documents, and of the names that code defines. */
function listPlainWords({ isDocs, passages }: SplitText & { readonly isDocs: boolean }): readonly string[] {
  const words = passages.flatMap(({ headingWords, contentWords }) =>
    (isDocs ? `${headingWords} ${contentWords}` : headingWords).split(' '),
  );
  return words.filter((word) => /^\p{L}{4,40}$/u.test(word));
}

/** One process at a time changes which commits a project has. */
async function lockProject(db: Queryable, project: string): Promise<void> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge:code:${project}`}, 0))`);
}
