import type { Queryable } from '@signalbox/store/pool';
import { listRows } from '@signalbox/store/sql';

/** A recorded proposal and decision; the reader validates them. */
export interface RecordedProposal {
  readonly actionId: string;
  readonly tool: string;
  readonly userKey: string;
  readonly proposedAt: Date;
  /** A PolicyQuestion of the version that recorded it. */
  readonly question: unknown;
  /** A PolicyDecision of the version that recorded it. */
  readonly decision: unknown;
}

const PAGE_SIZE = 500;

/** Yields all proposals since a time, oldest first. May miss proposals that are added meanwhile. */
export async function* readProposals(db: Queryable, since: Date): AsyncGenerator<RecordedProposal, void> {
  // Times are passed as text: the column has microseconds, a Date has only milliseconds, and pages would overlap.
  let after = { at: since.toISOString(), actionId: '' };
  for (;;) {
    const rows = await listRows<RecordedProposal & { readonly at: string }>(db)`
      select action_id as "actionId", tool, user_key as "userKey", proposed_at as "proposedAt", proposed_at::text as at,
              proposal -> 'question' as question, proposal -> 'decision' as decision
         from actions
        where proposal is not null and (proposed_at, action_id) > (${after.at}::timestamptz, ${after.actionId})
        order by proposed_at, action_id limit ${PAGE_SIZE}`;
    for (const { at: _, ...row } of rows) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_SIZE) return;
    after = last;
  }
}
