import type { Pool } from '@signalbox/store/pool';
import { findValue, listRows } from '@signalbox/store/sql';
import {
  HEADING_FACTOR,
  MANUAL_PASSAGES,
  PATH_FACTOR,
  SYNONYM_FACTOR,
  addHeadingWeight,
  findWeighedTerms,
} from './found-terms.ts';
import { mergeRanks } from './merge-ranks.ts';
import type { KnowledgeHit } from './hit.ts';
import { listNearManual } from './near-rows.ts';
import type { QueryVector } from './query-vector.ts';

/** How much more a passage counts that holds quoted phrases and every word, and no excluded one. */
const EXACT_FACTOR = 0.5;
/** Passages that words bring into a ranking with vectors. */
const MAX_FUSED = 30;
/** A passage up to this many characters is its own excerpt. */
const WHOLE_LENGTH = 300;
/**
 * ts_headline: two fragments of up to 40 words, without marks, which the reader's channel would show as text. It drops anything like a tag,
 * such as the <name> of a command, so angle brackets are replaced first.
 */
const HEADLINE = `StartSel="", StopSel="", MaxFragments=2, MaxWords=40, MinWords=12, FragmentDelimiter=" … "`;

/** True when the manual is indexed. */
export function hasManual(pool: Pool): Promise<boolean> {
  return findValue(pool, false)`select exists (select from knowledge where scope = 'docs')`;
}

/**
 * Finds passages of the product's own manual, best first: by their words, whose beginnings or likes stand for unknown ones; with a
 * vector, ranked together with near passages.
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

/** As passages of code are ranked: rare words say more, and most in a heading or in the name of the page. */
async function findByWords(pool: Pool, query: string, limit: number): Promise<readonly FoundPassage[]> {
  const terms = await findWeighedTerms(pool, query, MANUAL_PASSAGES);
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return [];
  const any = terms
    .flatMap(({ forms, also }) => [forms, also])
    .filter((one) => one !== '')
    .map((one) => `(${one})`)
    .join(' | ');
  return listRows<FoundPassage>(pool)`
    with t as materialized (
      select forms::tsquery as forms, forms_a::tsquery as forms_a, also::tsquery as also, also_a::tsquery as also_a, weight
        from unnest(${terms.map(({ forms }) => forms)}::text[], ${terms.map(({ forms }) => addHeadingWeight(forms))}::text[],
          ${terms.map(({ also }) => also)}::text[], ${terms.map(({ also }) => addHeadingWeight(also))}::text[],
          ${terms.map(({ weight }) => weight)}::float8[]) as x (forms, forms_a, also, also_a, weight)),
    scored as (
      select p.source, p.heading, p.content, s.score, s.covered, (p.search @@ websearch_to_tsquery('english', ${query}))::int as exact
        from (select *, to_tsvector('english', translate(source, '/.-_', '    ')) as words from knowledge where scope = 'docs') p,
             lateral (
               select sum(t.weight * (h.inside + h.above)) as score, sum(t.weight * least(1, h.inside + h.above)) as covered
                 from t, lateral (
                   select case when p.search @@ t.forms then case when p.search @@ t.forms_a then ${HEADING_FACTOR}::float8 else 1 end
                               when p.search @@ t.also then case when p.search @@ t.also_a then ${SYNONYM_FACTOR * HEADING_FACTOR}::float8
                                 else ${SYNONYM_FACTOR}::float8 end
                               else 0 end as inside,
                          case when p.words @@ t.forms then ${PATH_FACTOR}::float8 when p.words @@ t.also then ${PATH_FACTOR * SYNONYM_FACTOR}::float8
                               else 0 end as above) h) s
       where p.search @@ ${any}::tsquery),
    best as (
      select *, least(1, score / (${total}::float8 * ${HEADING_FACTOR + PATH_FACTOR}::float8) * (0.4 + 0.6 * covered / ${total}::float8)
          * (1 + ${EXACT_FACTOR}::float8 * exact))::float8 as relevance
        from scored order by relevance desc, source limit ${limit})
    select source || coalesce(' § ' || nullif(heading, ''), '') as source, relevance as score,
           case when length(content) <= ${WHOLE_LENGTH} then content
                else translate(ts_headline('english', translate(content, '<>', E'\\uE000\\uE001'), ${any}::tsquery, ${HEADLINE}), E'\\uE000\\uE001', '<>')
                end as excerpt
      from best order by relevance desc, source`;
}
