import { withTransaction, type Pool } from '@signalbox/store/pool';

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
      const { rows } = await pool.query<{ source: string; hash: string }>(
        `select distinct source, hash from knowledge where scope = $1`,
        [scope],
      );
      return new Map(rows.map((row) => [row.source, row.hash]));
    },

    /** Puts these passages in the place of what was known of the source. Two at once: one after the other. */
    replace: (scope: IndexedScope, source: string, hash: string, passages: readonly Passage[]): Promise<void> =>
      withTransaction(pool, async (db) => {
        await db.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`knowledge:${scope}:${source}`]);
        await db.query(`delete from knowledge where scope = $1 and source = $2`, [scope, source]);
        await db.query(
          `insert into knowledge (scope, source, position, heading, content, hash)
           select $1, $2, p.position, p.heading, p.content, $3
             from rows from (unnest($4::text[]), unnest($5::text[])) with ordinality as p (heading, content, position)`,
          [scope, source, hash, passages.map((passage) => passage.heading), passages.map((passage) => passage.content)],
        );
        // In order, so that two writers never wait for each other crosswise.
        await db.query(
          `insert into knowledge_words (word)
           select distinct w from knowledge k, unnest(tsvector_to_array(to_tsvector('simple', k.heading || ' ' || k.content))) as w
            where k.scope = $1 and k.source = $2 and w ~ '^[[:alpha:]]{4,40}$' order by w
           on conflict do nothing`,
          [scope, source],
        );
      }),

    /** Forgets every source of the scope that is not among these. Returns how many were forgotten. */
    async retain(scope: IndexedScope, sources: readonly string[]): Promise<number> {
      const { rows } = await pool.query<{ forgotten: number }>(
        `with gone as (delete from knowledge where scope = $1 and not source = any ($2::text[]) returning source)
         select count(distinct source)::int as forgotten from gone`,
        [scope, sources],
      );
      return rows[0]?.forgotten ?? 0;
    },

    async count(scope: IndexedScope): Promise<number> {
      const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from knowledge where scope = $1`, [
        scope,
      ]);
      return rows[0]?.n ?? 0;
    },
  };
}
