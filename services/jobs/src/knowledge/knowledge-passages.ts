import { withTransaction, type Pool } from '@signalbox/store/pool';
import { findValue, sql } from '@signalbox/store/sql';

export type IndexedScope = 'docs' | 'code' | 'logs';

export interface Passage {
  /** The headings above it, outermost first, as one line. */
  readonly heading: string;
  readonly content: string;
}

/** Writes the knowledge table a whole source at a time. Whether a source has changed is for the caller to compare by `hashes`. */
export function createKnowledgePassages(pool: Pool) {
  return {
    /** The hash of each source of a scope, as it was last indexed. */
    async hashes(scope: IndexedScope): Promise<ReadonlyMap<string, string>> {
      const { rows } = await pool.query<{
        source: string;
        hash: string;
      }>(sql`select distinct source, hash from knowledge
          where scope = ${scope}`);
      return new Map(rows.map((row) => [row.source, row.hash]));
    },

    /** Puts these passages in the place of what was known of the source. Two at once: one after the other. */
    replace: (scope: IndexedScope, source: string, hash: string, passages: readonly Passage[]): Promise<void> =>
      withTransaction(pool, async (db) => {
        await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge:${scope}:${source}`}, 0))`);
        await db.query(sql`delete from knowledge where scope = ${scope} and source = ${source}`);
        await db.query(sql`insert into knowledge (scope, source, position, heading, content, hash)
           select ${scope}, ${source}, p.position, p.heading, p.content, ${hash}
             from rows from (unnest(${passages.map((passage) => passage.heading)}::text[]),
               unnest(${passages.map((passage) => passage.content)}::text[])) with ordinality as p (heading, content, position)`);
        // In order, so that two writers never wait for each other crosswise.
        await db.query(sql`insert into knowledge_words (word)
           select distinct w from knowledge k, unnest(tsvector_to_array(to_tsvector('simple', k.heading || ' ' || k.content))) as w
            where k.scope = ${scope} and k.source = ${source} and w ~ '^[[:alpha:]]{4,40}$' order by w
           on conflict do nothing`);
      }),

    /** Forgets every source of the scope that is not among these. Returns how many were forgotten. */
    async retain(scope: IndexedScope, sources: readonly string[]): Promise<number> {
      return findValue<number>(pool, 0)`
        with gone as (delete from knowledge where scope = ${scope} and not source = any (${sources}::text[]) returning source)
         select count(distinct source)::int as forgotten from gone`;
    },

    async count(scope: IndexedScope): Promise<number> {
      return findValue<number>(pool, 0)`select count(*)::int as n from knowledge
          where scope = ${scope}`;
    },
  };
}
