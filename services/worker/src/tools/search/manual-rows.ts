import type { Pool } from '@signalbox/store/pool';
import { findValue } from '@signalbox/store/sql';
import { mergeRanks } from './merge-ranks.ts';
import type { KnowledgeHit } from './hit.ts';
import { listNearManual } from './near-rows.ts';
import type { QueryVector } from './query-vector.ts';

/** The searched part of a query, in characters; the rest of a long paste only adds noise. */
const QUERY_LENGTH = 300;
/** Words at least this similar (0 to 1) match: `alocation` and `allocation` have 0.75, `capability` and `capacity` 0.43. */
const LIKENESS = 0.45;
/** Passages that words bring into a ranking with vectors. */
const MAX_FUSED = 30;
/** A passage up to this many characters is its own excerpt. */
const WHOLE_LENGTH = 300;
/** ts_headline: two fragments of up to 40 words, without marks, which the reader's channel would show as text. */
const HEADLINE = `StartSel="", StopSel="", MaxFragments=2, MaxWords=40, MinWords=12, FragmentDelimiter=" … "`;

/** ts_headline drops anything like a tag, such as the <name> of a command, so angle brackets are replaced first. */
const EXCERPT = `translate(ts_headline('english', translate(content, '<>', E'\\uE000\\uE001'), asked.query, '${HEADLINE}'), E'\\uE000\\uE001', '<>')`;

const PLACE = `select source || coalesce(' § ' || nullif(heading, ''), '') as source, heading, content, search from knowledge where scope = 'docs'`;

/** True when the manual is indexed. */
export function hasManual(pool: Pool): Promise<boolean> {
  return findValue(pool, false)`select exists (select from knowledge where scope = 'docs')`;
}

/**
 * Finds passages of the product's own manual, best first: by words, else by their beginnings, else by words written alike; with a vector,
 * ranked together with near passages.
 */
export async function searchManual(
  pool: Pool,
  query: string,
  limit: number,
  vector: Promise<QueryVector | null> = Promise.resolve(null),
): Promise<readonly KnowledgeHit[]> {
  const made = await vector;
  const [byWords, byVectors] = await Promise.all([
    findByWords(pool, query, made === null ? limit : Math.max(limit, MAX_FUSED)),
    made === null ? [] : listNearManual(made),
  ]);
  return mergeRanks(byWords, byVectors, ({ source }) => source)
    .slice(0, limit)
    .map(({ source, excerpt, score }) => ({
      source,
      excerpt,
      relevance: score,
      scope: 'docs',
      isOwn: true,
      at: null,
      next: null,
    }));
}

interface FoundPassage extends Pick<KnowledgeHit, 'source' | 'excerpt'> {
  readonly score: number;
}

async function findByWords(pool: Pool, query: string, limit: number): Promise<readonly FoundPassage[]> {
  for (const statement of STATEMENTS) {
    const { rows } = await pool.query<FoundPassage>(statement, [query.slice(0, QUERY_LENGTH), limit]);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Statements from the most exact to the broadest. */
const STATEMENTS = [byWords, byBeginnings, byLikeness].map((find) => find(PLACE));

/** Finds passages with at least half of the query's words, stop words excluded. */
function byWords(place: string): string {
  return ranked(
    place,
    `select quote_literal(w)::tsquery as term from unnest(coalesce(
       nullif(tsvector_to_array(to_tsvector('english', $1)), '{}'), tsvector_to_array(to_tsvector('simple', $1)))) as w`,
  );
}

/** Like `byWords`, by beginnings of words: deplo finds deployment. */
function byBeginnings(place: string): string {
  return ranked(
    place,
    `select (quote_literal(w) || ':*')::tsquery as term from unnest(tsvector_to_array(to_tsvector('simple', $1))) as w where length(w) > 2`,
  );
}

/** Like `byWords`, for mistyped words: the three most similar known words replace an unknown word. */
function byLikeness(place: string): string {
  return ranked(
    place,
    `select string_agg(quote_literal(alike.word), ' | ')::tsquery as term
       from unnest(tsvector_to_array(to_tsvector('simple', $1))) as w,
            lateral (select k.word from knowledge_words k where k.word % w and similarity(k.word, w) >= ${LIKENESS}
               order by similarity(k.word, w) desc limit 3) alike
      where length(w) > 3 and to_tsvector('english', w) <> ''
        and (alike.word = w or not exists (select 1 from knowledge_words k where k.word = w)) group by w`,
  );
}

/** Relevance, 0 to 1: mostly the share of the terms in a passage, then exact matches (quoted phrases, -exclusions), then prominence. */
function ranked(place: string, terms: string): string {
  return `
    with terms as materialized (${terms}),
    asked as materialized (
      select string_agg(term::text, ' | ')::tsquery as query, array_agg(term) as terms, count(*) as total,
             websearch_to_tsquery('english', $1) as exact
        from terms),
    found as (
      select p.*, ts_rank(p.search, asked.query, 32) as rank, p.search @@ asked.exact as exact,
             (select count(*) from unnest(asked.terms) as t where p.search @@ t)::float8 / asked.total as share
        from (${place}) p, asked where p.search @@ asked.query),
    best as (
      select *, (0.6 * share + 0.2 * exact::int + 0.2 * rank)::float8 as relevance
        from found where share >= 0.5 order by relevance desc, source limit $2)
    select source, relevance as score,
           case when length(content) <= ${WHOLE_LENGTH} then content else ${EXCERPT} end as excerpt
      from best, asked order by relevance desc, source`;
}
