import type { Pool } from '@signalbox/store/pool';
import { listRows, listValues, sql, type Sql } from '@signalbox/store/sql';
import { filterRefs, type CodeHit, type CodeQuery, type Ranked } from './code-query.ts';
import { mergeRanks } from './merge-ranks.ts';
import { listNearPassages } from './near-rows.ts';
import type { QueryVector } from './query-vector.ts';
import {
  CODE_PASSAGES,
  FOLDER_FACTOR,
  HEADING_FACTOR,
  MAX_COUNTED,
  PATH_FACTOR,
  SYNONYM_FACTOR,
  addHeadingWeight,
  findWeighedTerms,
  type FoundTerm,
} from './found-terms.ts';
import { pickLines, type WeighedTerm } from './score-text.ts';
import { readLiterals, type QueryTerm } from './terms.ts';

/** Passages of each kind that are ranked when a query has frequent words only. */
const MAX_FREQUENT = 1_000;
const MAX_CANDIDATES = 60;
const MAX_OF_SYNONYMS = 300;
const MAX_OF_FILE = 2;
const LITERAL_FACTOR = 1.2;
const NAME_FACTOR = 1.4;

/** Lists the projects with searched commits. */
export function listSearchedProjects(pool: Pool): Promise<readonly string[]> {
  return listValues<string>(pool)`select distinct project from code_refs order by project`;
}

/** Lists the searched commits of projects, by their names: `main`, `1.2.0`. */
export function listSearchedRefs(pool: Pool, projects: readonly string[]): Promise<readonly string[]> {
  return listValues<string>(
    pool,
  )`select distinct unnest(names) from code_refs where project = any (${projects}::text[]) order by 1 limit 20`;
}

/**
 * Finds places in code or documents of projects, best first. Words count by their rarity, and names and paths of files count more. With a
 * vector, near passages are ranked together with those of the words.
 */
export async function searchCode(
  pool: Pool,
  asked: CodeQuery,
  vector: Promise<QueryVector | null> = Promise.resolve(null),
): Promise<readonly CodeHit[]> {
  if (asked.projects.length === 0) return [];
  const [weighed, near] = await Promise.all([
    findWeighedTerms(pool, asked.query, CODE_PASSAGES),
    vector.then((made) => (made === null ? [] : listNearPassages(made, asked))),
  ]);
  const byWords = (weighed.length === 0 ? [] : await rankPassages(pool, asked, weighed)).map((row) => ({
    ...row,
    ...weighNames(row, asked, weighed),
  }));
  const byVectors = near.map((row) => ({ ...row, ...weighNames(row, asked, []) }));
  const best = byWords.toSorted((one, other) => other.score - one.score);
  return firstOfFiles(
    mergeRanks(best, byVectors, ({ project, commit, path, line }) => `${project} ${commit} ${path} ${line}`),
  )
    .slice(0, asked.limit)
    .map(({ content, line, score, names, ...row }) => ({
      ...row,
      ...pickLines(weighed, { content, line, names }),
      relevance: Math.min(1, score),
    }));
}

/** A passage that defines exactly the asked name comes first. */
function weighNames({ heading, score }: Ranked, { isDocs }: CodeQuery, terms: readonly QueryTerm[]) {
  const names = isDocs ? [] : heading.split(' ').filter((name) => name !== '');
  const isNamed = names.some((name) => terms.some(({ word, isName }) => isName && name.toLowerCase() === word));
  return { names, score: score * (isNamed ? NAME_FACTOR : 1) };
}

function rankPassages(
  pool: Pool,
  asked: CodeQuery,
  terms: readonly (FoundTerm & WeighedTerm)[],
): Promise<readonly Ranked[]> {
  const { query, isDocs } = asked;
  const literals = readLiterals(query).map((one) => `%${one.replace(/[\\%_]/g, '\\$&')}%`);
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  // Letter by letter only when something is asked letter by letter.
  const hasLiterals = literals.length > 0;
  const ofLiterals = hasLiterals
    ? sql`union select passage_id, text_id from code_passages where content ilike any (${literals}::text[])`
    : sql``;
  const countLiterals = hasLiterals
    ? sql`(select count(*) from unnest(${literals}::text[]) as l where content ilike l)`
    : sql`0`;
  return listRows<Ranked>(pool)`
    with t as materialized (
      select forms::tsquery as forms, forms_a::tsquery as forms_a, also::tsquery as also, also_a::tsquery as also_a, weight
        from unnest(${terms.map(({ forms }) => forms)}::text[], ${terms.map(({ forms }) => addHeadingWeight(forms))}::text[],
          ${terms.map(({ also }) => also)}::text[], ${terms.map(({ also }) => addHeadingWeight(also))}::text[],
          ${terms.map(({ weight }) => weight)}::float8[]) as x (forms, forms_a, also, also_a, weight)),
    refs as materialized (select r.project, r.commit, r.names[1] as ref, r.is_main from code_refs r where ${filterRefs(asked)}),
    candidates as (
      ${chooseCandidates(terms)}
      ${ofLiterals}
      union
      (select p.passage_id, p.text_id from code_paths c join refs r using (project, commit) join code_passages p on p.text_id = c.text_id
        where c.words @@ ${chooseSelective(terms)}::tsquery limit 300)),
    texts as materialized (
      select distinct on (c.text_id) c.text_id, c.project, c.commit, r.ref, c.path, c.weight, c.words
        from (select distinct text_id from candidates) k join code_texts x using (text_id)
             join code_paths c using (text_id) join refs r using (project, commit)
       where x.is_docs = ${isDocs}
       order by c.text_id, r.is_main desc, c.weight desc, length(c.path)),
    placed as (
      select p.passage_id, p.line, p.heading, p.content, p.search, x.project, x.commit, x.ref, x.path, x.weight, x.words
        from texts x join candidates k using (text_id) join code_passages p using (passage_id)),
    scored as (
      select placed.*, s.score, s.covered,
             ${countLiterals} as literals
        from placed, lateral (
          select sum(t.weight * (h.inside + h.above)) as score, sum(t.weight * least(1, h.inside + h.above)) as covered
            from t, lateral (
              select case when search @@ t.forms then case when search @@ t.forms_a then ${HEADING_FACTOR}::float8 else 1 end
                          when search @@ t.also then case when search @@ t.also_a then ${SYNONYM_FACTOR * HEADING_FACTOR}::float8 else ${SYNONYM_FACTOR}::float8 end
                          else 0 end as inside,
                     case when words @@ t.forms_a then ${PATH_FACTOR}::float8 when words @@ t.also_a then ${PATH_FACTOR * SYNONYM_FACTOR}::float8
                          when words @@ t.forms then ${FOLDER_FACTOR}::float8 else 0 end as above) h) s)
    select project, ref, commit, path, line, heading, content,
           (score / (${total}::float8 * ${HEADING_FACTOR + PATH_FACTOR}::float8) * (0.4 + 0.6 * covered / ${total}::float8)
              * (1 + ${LITERAL_FACTOR}::float8 * least(literals, 1)) * weight)::float8 as score
      from scored order by score desc, path, line limit ${MAX_CANDIDATES}`;
}

/**
 * Selects the passages that are ranked: those with the rarest words, and those with synonyms in a heading. When all words are frequent, only
 * so many passages of the searched commits are, half of them with a word in a heading: 'error' is in a third of all passages.
 */
function chooseCandidates(terms: readonly FoundTerm[]): Sql {
  const chosen = chooseSelective(terms);
  const ofWords = sql`select p.passage_id, p.text_id from code_passages p where p.search @@ ${chosen}::tsquery`;
  if (terms.some(isRare) || chosen === '')
    return sql`${ofWords} union (select passage_id, text_id from code_passages, t where search @@ t.also_a limit ${MAX_OF_SYNONYMS})`;
  const isSearched = sql`exists (select from code_paths c join refs r using (project, commit) where c.text_id = p.text_id)`;
  const above = terms
    .filter(({ count }) => count > 0)
    .map(({ forms }) => `(${addHeadingWeight(forms)})`)
    .join(' | ');
  return sql`(${ofWords} and ${isSearched} limit ${MAX_FREQUENT})
      union (${ofWords} and p.search @@ ${above}::tsquery and ${isSearched} limit ${MAX_FREQUENT})`;
}

function isRare({ count }: FoundTerm): boolean {
  return count > 0 && count < MAX_COUNTED;
}

/** Joins the rarest terms, so that few passages have to be ranked; only frequent ones have to stand together. */
function chooseSelective(terms: readonly FoundTerm[]): string {
  const rare = terms.filter(isRare).toSorted((one, other) => one.count - other.count);
  if (rare.length === 0)
    return terms
      .filter(({ count }) => count > 0)
      .map(({ forms }) => `(${forms})`)
      .join(' & ');
  let sum = 0;
  return rare
    .filter(({ count }, place) => place === 0 || (sum += count) <= MAX_COUNTED)
    .map(({ forms }) => `(${forms})`)
    .join(' | ');
}

/** Keeps the two best places of each file, so that one file does not hide the others. */
function firstOfFiles<T extends Ranked>(hits: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  return hits
    .toSorted((one, other) => other.score - one.score)
    .filter(({ project, commit, path }) => {
      const key = `${project} ${commit} ${path}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= MAX_OF_FILE;
    });
}
