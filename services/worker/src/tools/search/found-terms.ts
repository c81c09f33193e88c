import type { Pool } from '@signalbox/store/pool';
import { listRows, listValues, sql, type Sql } from '@signalbox/store/sql';
import type { WeighedTerm } from './score-text.ts';
import { listSynonyms } from './synonyms.ts';
import { readTerms, type QueryTerm } from './terms.ts';

/** Passages of a word are counted up to this number; a more frequent word finds nothing by itself. */
export const MAX_COUNTED = 1_500;
/** Words at least this similar (0 to 1) match: `alocation` and `allocation` have 0.75, `capability` and `capacity` 0.43. */
const LIKENESS = 0.45;
/** How much a match counts: in a heading or the name of a definition, in a file's name, in the names of its folders. */
export const HEADING_FACTOR = 1.7;
export const PATH_FACTOR = 0.8;
export const FOLDER_FACTOR = 0.4;
/** A synonym counts less than the word itself. */
export const SYNONYM_FACTOR = 0.6;

/** Where words are looked up: a table of passages with a column `search`, and its rows under the name `p`. */
export interface Passages {
  readonly table: string;
  readonly rows: Sql;
}

export const CODE_PASSAGES: Passages = { table: 'code_passages', rows: sql`code_passages p` };
export const MANUAL_PASSAGES: Passages = {
  table: 'knowledge',
  rows: sql`(select * from knowledge where scope = 'docs') p`,
};

export interface FoundTerm extends QueryTerm {
  /** A tsquery for the word and its forms. */
  readonly forms: string;
  /** A tsquery for other words that mean the same; empty without any. */
  readonly also: string;
  readonly count: number;
}

/** Finds the words of a query in passages, each with a weight: rare words say more. */
export async function findWeighedTerms(
  pool: Pool,
  query: string,
  passages: Passages,
): Promise<readonly (FoundTerm & WeighedTerm)[]> {
  const terms = await findTerms(pool, readTerms(query), passages);
  if (terms.length === 0) return [];
  const total = await countPassages(pool, passages);
  return terms.map((term) => ({ ...term, weight: Math.log(1 + total / (term.count + 1)) }));
}

/** Finds each word as it stands, else words that begin with it, else words that contain it or are written alike. */
async function findTerms(pool: Pool, words: readonly QueryTerm[], passages: Passages): Promise<readonly FoundTerm[]> {
  const exact = await countForms(
    pool,
    passages,
    words,
    sql`(plainto_tsquery('english', w.word) || plainto_tsquery('simple', w.word))`,
  );
  const missing = exact.filter(({ count }) => count === 0 && exact.length > 0);
  if (missing.length === 0) return exact;
  const begun = await countForms(
    pool,
    passages,
    missing,
    sql`case when length(w.word) > 2 then (quote_literal(w.word) || ':*')::tsquery else ''::tsquery end`,
  );
  const alike = await countForms(
    pool,
    passages,
    begun.filter(({ count, word }) => count === 0 && word.length > 3),
    sql`coalesce((select string_agg(quote_literal(k.word), ' | ')::tsquery from (
          select word from knowledge_words where word like '%' || w.word || '%' or (word % w.word and similarity(word, w.word) >= ${LIKENESS})
           order by similarity(word, w.word) desc limit 4) k), ''::tsquery)`,
  );
  const found = new Map([...exact, ...begun, ...alike].filter(({ count }) => count > 0).map((one) => [one.word, one]));
  // A word that nothing contains still stands for its synonyms.
  return words.flatMap(({ word }) => found.get(word) ?? exact.filter((one) => one.word === word && one.also !== ''));
}

function countForms(
  pool: Pool,
  { rows }: Passages,
  words: readonly QueryTerm[],
  forms: Sql,
): Promise<readonly FoundTerm[]> {
  if (words.length === 0) return Promise.resolve([]);
  return listRows<FoundTerm>(pool)`
    with w as materialized (
      select * from unnest(${words.map(({ word }) => word)}::text[], ${words.map(({ isName }) => isName)}::bool[],
        ${words.map(({ word }) => listSynonyms(word).join(' | '))}::text[]) as x (word, "isName", others)),
    f as materialized (select w.*, ${forms} as forms from w)
    select f.word, f."isName", f.forms::text as forms, (to_tsquery('english', f.others) || to_tsquery('simple', f.others))::text as also, case when numnode(f.forms) = 0 then 0 else
           (select count(*)::int from (select from ${rows} where p.search @@ f.forms limit ${MAX_COUNTED}) x) end as count
      from f`;
}

async function countPassages(pool: Pool, { table }: Passages): Promise<number> {
  // An estimate suffices: it only sets how much rarity counts.
  const [size = 0] = await listValues<number>(
    pool,
  )`select greatest(reltuples, 1000)::float8 from pg_class where oid = ${table}::regclass`;
  return size;
}

/** Adds the weight of headings to each lexeme of a tsquery. */
export function addHeadingWeight(forms: string): string {
  return forms.replace(
    /'((?:[^']|'')*)'(?::(\*?))?/g,
    (_, lexeme: string, star?: string) => `'${lexeme}':${star ?? ''}A`,
  );
}
