import type { Pool } from '@signalbox/store/pool';
import { hasRow, listRows, sql } from '@signalbox/store/sql';

/** Which vectors are wanted. */
export interface WantedVectors {
  readonly model: string;
  readonly dims: number;
}

export interface WaitingPassage {
  readonly id: string;
  readonly heading: string;
  readonly content: string;
}

/** `embedding`: numbers of a vector; null for a text that the endpoint refuses. */
export interface PassageVector {
  readonly id: string;
  readonly embedding: readonly number[] | null;
}

/** The passages of one kind and their vectors. All writes are idempotent, and safe from several processes. */
export interface VectorStore {
  /** Lists passages with a greater id that have no such vector, in the order of their ids. */
  waiting(wanted: WantedVectors, afterId: string, limit: number): Promise<readonly WaitingPassage[]>;
  /** Stores vectors; passages that were removed meanwhile are left out. */
  add(wanted: WantedVectors, vectors: readonly PassageVector[]): Promise<void>;
}

/** `hasCode`: false stores vectors of the documents of projects only. */
export function createCodeVectorStore(pool: Pool, hasCode: boolean): VectorStore {
  const passages = sql`(select p.passage_id, p.heading, p.content from code_passages p join code_texts x using (text_id)
    where x.is_docs or ${hasCode})`;
  return createVectorStore(pool, { passages, keys: sql`code_passages`, table: sql`code_vectors` });
}

export function createManualVectorStore(pool: Pool): VectorStore {
  const passages = sql`(select id as passage_id, heading, content from knowledge where scope = 'docs')`;
  return createVectorStore(pool, { passages, keys: passages, table: sql`manual_vectors` });
}

interface VectorTables {
  readonly passages: ReturnType<typeof sql>;
  readonly keys: ReturnType<typeof sql>;
  readonly table: ReturnType<typeof sql>;
}

function createVectorStore(pool: Pool, { passages, keys, table }: VectorTables): VectorStore {
  return {
    waiting: ({ model, dims }, afterId, limit) => listRows<WaitingPassage>(pool)`
      select p.passage_id::text as id, p.heading, p.content from ${passages} p
       where p.passage_id > ${afterId}::bigint
         and not exists (select from ${table} v where v.passage_id = p.passage_id and v.model = ${model} and v.dims in (0, ${dims}))
       order by p.passage_id limit ${limit}`,

    add: async ({ model, dims }, vectors) => {
      await hasRow(pool)`insert into ${table} (passage_id, model, dims, embedding)
        select n.id, ${model}, case when n.embedding is null then 0 else ${dims}::int end, n.embedding::halfvec
          from unnest(${vectors.map(({ id }) => id)}::bigint[],
            ${vectors.map(({ embedding }) => embedding && JSON.stringify(embedding))}::text[]) as n (id, embedding)
         where exists (select from ${keys} p where p.passage_id = n.id)
        on conflict (passage_id) do update set model = excluded.model, dims = excluded.dims, embedding = excluded.embedding`;
    },
  };
}
