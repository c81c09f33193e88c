import { sql } from '@signalbox/store/sql';
import { filterRefs, type CodeQuery, type Ranked } from './code-query.ts';
import type { QueryVector } from './query-vector.ts';

const MAX_NEAR = 60;
/** Texts about nothing in common are less alike than this with most models, so that nonsense finds nothing. */
const MIN_LIKENESS = 0.25;
/** A passage of the manual up to this many characters is its own excerpt; of a longer one, the beginning is shown. */
const WHOLE_LENGTH = 300;

/** Lists passages of code or documents of projects that are near a query, best first. Only what the query may search is compared. */
export async function listNearPassages(vector: QueryVector, asked: CodeQuery): Promise<readonly Ranked[]> {
  const rows = await vector.listNear<Ranked>(sql`
    with refs as materialized (select r.project, r.commit, r.names[1] as ref, r.is_main from code_refs r where ${filterRefs(asked)}),
    texts as materialized (
      select distinct on (c.text_id) c.text_id, c.project, c.commit, r.ref, c.path, c.weight
        from code_paths c join refs r using (project, commit) join code_texts x using (text_id) where x.is_docs = ${asked.isDocs}
       order by c.text_id, r.is_main desc, c.weight desc, length(c.path)),
    near as materialized (
      select p.passage_id, t.project, t.commit, t.ref, t.path, t.weight, ${vector.likeness}::float8 as likeness
        from texts t join code_passages p using (text_id) join code_vectors v using (passage_id) where ${vector.isComparable}
       order by likeness desc limit ${MAX_NEAR})
    select n.project, n.ref, n.commit, n.path, p.line, p.heading, p.content, (n.likeness * n.weight)::float8 as score
      from near n join code_passages p using (passage_id) where n.likeness >= ${MIN_LIKENESS}::float8 order by score desc, n.path, p.line`);
  return rows;
}

/** Lists passages of the manual that are near a query, best first. */
export function listNearManual(vector: QueryVector) {
  return vector.listNear<{ readonly source: string; readonly excerpt: string; readonly score: number }>(sql`
    with near as (
      select v.passage_id, ${vector.likeness}::float8 as score from manual_vectors v where ${vector.isComparable}
       order by score desc limit ${MAX_NEAR})
    select k.source || coalesce(' § ' || nullif(k.heading, ''), '') as source, n.score,
           case when length(k.content) <= ${WHOLE_LENGTH} then k.content else left(k.content, ${WHOLE_LENGTH}) || ' …' end as excerpt
      from near n join knowledge k on k.id = n.passage_id where n.score >= ${MIN_LIKENESS}::float8 order by n.score desc`);
}
