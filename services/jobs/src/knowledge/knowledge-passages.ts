import { findValue, listRows, sql } from '@signalbox/store/sql';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import type { Passage } from './passages.ts';

/** Stores passages of documents, one source at a time. Callers compare `hashes` to find changed sources. */
export function createPassageStore(pool: Pool) {
  return {
    async hashes(): Promise<ReadonlyMap<string, string>> {
      const rows = await listRows<{ source: string; hash: string }>(pool)`
        select distinct source, hash from knowledge where scope = 'docs'`;
      return new Map(rows.map(({ source, hash }) => [source, hash]));
    },

    /** Replaces the passages of a source. Concurrent calls run one after the other. */
    replace: (source: string, hash: string, passages: readonly Passage[]): Promise<void> =>
      withTransaction(pool, async (db) => {
        await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`knowledge:docs:${source}`}, 0))`);
        await db.query(sql`delete from knowledge where scope = 'docs' and source = ${source}`);
        await db.query(sql`insert into knowledge (scope, source, position, heading, content, hash)
           select 'docs', ${source}, p.position, p.heading, p.content, ${hash}
             from rows from (unnest(${passages.map((passage) => passage.heading)}::text[]),
               unnest(${passages.map((passage) => passage.content)}::text[])) with ordinality as p (heading, content, position)`);
        // Words are sorted, so that two writers cannot deadlock.
        await db.query(sql`insert into knowledge_words (word)
           select distinct w from knowledge k, unnest(tsvector_to_array(to_tsvector('simple', k.heading || ' ' || k.content))) as w
            where k.scope = 'docs' and k.source = ${source} and w ~ '^[[:alpha:]]{4,40}$' order by w
           on conflict do nothing`);
      }),

    /** Deletes the passages of all sources that are not in this list. Returns the number of deleted sources. */
    retain: (sources: readonly string[]): Promise<number> => findValue(pool, 0)`
      with gone as (delete from knowledge where scope = 'docs' and not source = any (${sources}::text[]) returning source)
       select count(distinct source)::int as forgotten from gone`,

    count: (): Promise<number> => findValue(pool, 0)`select count(*)::int as n from knowledge where scope = 'docs'`,
  };
}
