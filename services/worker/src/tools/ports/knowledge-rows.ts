import { say } from '@signalbox/messages/say';
import type { Pool } from '@signalbox/store/pool';
import { listValues } from '@signalbox/store/sql';

export type KnowledgeScope = 'docs' | 'code' | 'history' | 'logs' | 'all';

interface KnowledgeHit {
  readonly scope: 'docs' | 'code' | 'history' | 'logs';
  /** A file and heading, or a conversation and its time. */
  readonly source: string;
  readonly excerpt: string;
  readonly relevance: number;
}

/** Full-text search over the documentation and the person's own history. */
export type KnowledgeSearch = ReturnType<typeof createKnowledgeSearch>;

const INDEXED: readonly string[] = ['docs', 'code', 'logs'];
/** The number of a person's own messages that are searched, without an index: this many took 0.15 s. */
const HISTORY_MESSAGES = 5_000;
/** The searched part of a query, in characters; the rest of a long paste only adds noise. */
const QUERY_LENGTH = 300;
/** Words at least this similar (0 to 1) match: `alocation` and `allocation` have 0.75, `capability` and `capacity` 0.43. */
const LIKENESS = 0.45;
/** A passage up to this many characters is its own excerpt. */
const WHOLE_LENGTH = 300;
/** ts_headline: two fragments of up to 40 words, without marks, which the reader's channel would show as text. */
const HEADLINE = `StartSel="", StopSel="", MaxFragments=2, MaxWords=40, MinWords=12, FragmentDelimiter=" … "`;

/** ts_headline drops anything like a tag, such as the <name> of a command, so angle brackets are replaced first. */
const EXCERPT = `translate(ts_headline('english', translate(content, '<>', E'\\uE000\\uE001'), asked.query, '${HEADLINE}'), E'\\uE000\\uE001', '<>')`;

/**
 * The searched tables. Inputs of every statement: $1 query, $2 scopes or person, $3 limit. Each returns scope, source, heading, content
 * and search (the words, as a tsvector).
 */
const PLACES = {
  indexed: `select scope, source || coalesce(' § ' || nullif(heading, ''), '') as source, heading, content, search
    from knowledge where scope = any ($2::text[])`,
  history: `select 'history' as scope, label || ' ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as source,
      '' as heading, said as content, to_tsvector('english', said) || to_tsvector('simple', said) as search
    from (
      -- What is still open is the question itself.
      (select 'asked' as label, received_at as at, envelope ->> 'text' as said from inbox
        where user_key = $2 and kind = 'message' and outcome is not null order by id desc limit ${HISTORY_MESSAGES})
      union all
      (select 'told', created_at, body ->> 'text' from outbox
        where user_key = $2 and status = 'sent' order by id desc limit ${HISTORY_MESSAGES})) words
    where said is not null`,
} as const;

export function createKnowledgeSearch(pool: Pool) {
  return {
    /** At most `limit` passages, best first. `userKey` limits the history to that person's. `unavailable`: scopes without an index. */
    async search(
      query: string,
      scope: KnowledgeScope,
      userKey: string,
      limit: number,
    ): Promise<{ readonly hits: readonly KnowledgeHit[]; readonly unavailable: readonly string[] }> {
      const asked = INDEXED.filter((name) => scope === 'all' || scope === name);
      const present = await indexedScopes(pool, asked);
      const words = query.slice(0, QUERY_LENGTH);
      const [indexed, history] = await Promise.all([
        present.length > 0 ? findFirst(pool, INDEXED_STATEMENTS, [words, present, limit]) : [],
        scope === 'all' || scope === 'history' ? findFirst(pool, HISTORY_STATEMENTS, [words, userKey, limit]) : [],
      ]);
      const said = history.map((hit) => ({ ...hit, source: sayMoment(hit.source) }));
      const hits = [...indexed, ...said].sort((a, b) => b.relevance - a.relevance).slice(0, limit);
      return { hits, unavailable: asked.filter((name) => !present.includes(name)) };
    },
  };
}

async function indexedScopes(pool: Pool, asked: readonly string[]): Promise<readonly string[]> {
  if (asked.length === 0) return [];
  return listValues<string>(pool)`select s.scope from unnest(${asked}::text[]) as s (scope)
      where exists (select 1 from knowledge k where k.scope = s.scope)`;
}

/** Statements from the most exact to the broadest. */
const INDEXED_STATEMENTS = [byWords, byBeginnings, byLikeness].map((find) => find(PLACES.indexed));
const HISTORY_STATEMENTS = [byWords, byBeginnings].map((find) => find(PLACES.history));

/** Runs the statements in order until one finds something. */
async function findFirst(pool: Pool, statements: readonly string[], values: readonly unknown[]) {
  for (const statement of statements) {
    const { rows } = await pool.query<KnowledgeHit>(statement, [...values]);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Puts the table's source `asked 2026-01-31 12:00` into words. */
function sayMoment(source: string): string {
  const at = source.replace(/^\w+ /, '');
  return say('agent.historyOf', { who: source.startsWith('asked') ? 'person' : 'us', at });
}

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
        from found where share >= 0.5 order by relevance desc, source limit $3)
    select scope, source, relevance,
           case when length(content) <= ${WHOLE_LENGTH} then content else ${EXCERPT} end as excerpt
      from best, asked order by relevance desc, source`;
}
