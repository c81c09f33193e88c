import type { Embedder } from '@signalbox/models/embeddings/embedder';
import { SECOND_MS } from '@signalbox/contracts/time';
import type { Log } from '@signalbox/platform/log';
import { redactText } from '@signalbox/safety/redact/redact';
import { readVectorState } from '@signalbox/store/migrations/vector-columns';
import { withTransaction, type Pool } from '@signalbox/store/pool';
import { sql, type Row, type Sql } from '@signalbox/store/sql';

/** How a search came by vectors: it used them, the endpoint or the database failed it, it did not ask after a failure, or there are none. */
export const VECTOR_OUTCOMES = ['used', 'failed', 'paused', 'unready'] as const;
export type VectorOutcome = (typeof VECTOR_OUTCOMES)[number];

/** The vector of a query, with which to look for near passages. */
export interface QueryVector {
  /** Condition for the rows of `v` whose vectors can be compared with it. */
  readonly isComparable: Sql;
  /** How alike a row of `v` is, 0 to 1. */
  readonly likeness: Sql;
  /** Runs a statement about vectors in bounded time; no rows when it fails or takes too long. */
  listNear<T extends Row>(statement: Sql): Promise<readonly T[]>;
}

/** Makes the vector of a query; null when there is none. Never throws. */
export type QueryVectors = (query: string) => Promise<QueryVector | null>;

/** After a failure, searches work by words alone for this long, so that a dead endpoint slows one search and not all. */
const PAUSE_MS = 30 * SECOND_MS;
/** All vectors of the searched projects are compared; a larger index than this allows is searched by words. */
const COMPARE_MS = SECOND_MS;

export function createQueryVectors({
  pool,
  embedder,
  log,
  note = () => undefined,
}: {
  readonly pool: Pool;
  /** Null without an embeddings server: no search has vectors. */
  readonly embedder: Embedder | null;
  readonly log: Log;
  /** Counts the outcome of each search. */
  readonly note?: (outcome: VectorOutcome) => void;
}): QueryVectors {
  let pausedUntil = 0;
  const fail = (facts: Readonly<Record<string, unknown>>): void => {
    pausedUntil = Date.now() + PAUSE_MS;
    note('failed');
    log.warn('searched by words alone', facts);
  };
  const make = async (client: Embedder, query: string): Promise<QueryVector | null> => {
    if (Date.now() < pausedUntil) return (note('paused'), null);
    if ((await readVectorState(pool)) !== 'ready') return (note('unready'), null);
    const embedded = await client.embed([redactText(query)]);
    if (embedded.kind === 'failed') return (fail({ reason: embedded.reason, status: embedded.status }), null);
    const [numbers = null] = embedded.vectors;
    if (numbers === null) return null;
    note('used');
    const { dims } = embedded;
    return {
      isComparable: sql`v.model = ${client.model} and v.dims = ${dims}`,
      likeness: sql`(1 - (v.embedding <=> ${JSON.stringify(numbers)}::halfvec))`,
      listNear: async <T extends Row>(statement: Sql) => {
        try {
          return await withTransaction(pool, async (db) => {
            await db.query(sql`select set_config('statement_timeout', ${String(COMPARE_MS)}, true)`);
            return (await db.query<T>(statement)).rows;
          });
        } catch (error) {
          fail({ error });
          return [];
        }
      },
    };
  };
  return async (query) => {
    if (embedder === null) return null;
    try {
      return await make(embedder, query);
    } catch (error) {
      fail({ error });
      return null;
    }
  };
}
