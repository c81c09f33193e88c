import type { Queryable } from '@signalbox/store/pool';
import { listRows } from '@signalbox/store/sql';

/** What was proposed and decided, as it was recorded; the reader checks the shapes. */
export interface RecordedProposal {
  readonly actionId: string;
  readonly tool: string;
  readonly userKey: string;
  readonly proposedAt: Date;
  /** A PolicyQuestion of the version that wrote it. */
  readonly question: unknown;
  /** A PolicyDecision of the version that wrote it. */
  readonly decision: unknown;
}

/** Rows that are read at once: a month may have a million, and they are looked at one by one. */
const PAGE = 500;

/** Every proposal since a moment, the oldest first. What is proposed meanwhile may or may not be among them. */
export async function* readProposals(db: Queryable, since: Date): AsyncGenerator<RecordedProposal, void> {
  // Moments go in and out as text: a Date has milliseconds, the column microseconds, and a page would begin too early.
  let after = { at: since.toISOString(), actionId: '' };
  for (;;) {
    const rows = await listRows<RecordedProposal & { readonly at: string }>(db)`
      select action_id as "actionId", tool, user_key as "userKey", proposed_at as "proposedAt", proposed_at::text as at,
              proposal -> 'question' as question, proposal -> 'decision' as decision
         from actions
        where proposal is not null and (proposed_at, action_id) > (${after.at}::timestamptz, ${after.actionId})
        order by proposed_at, action_id limit ${PAGE}`;
    for (const { at: _, ...row } of rows) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last;
  }
}
