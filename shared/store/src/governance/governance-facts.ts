import type { ProposedAction } from '@signalbox/contracts/governance/action';
import { toGrantScope, type GrantScope } from './grants.ts';
import type { Queryable } from '../pool.ts';
import { readRow, sql } from '../sql.ts';

/** Current facts, besides the action, on which a decision depends. */
export interface GovernanceFacts {
  /** The database's clock, ISO 8601. */
  readonly at: string;
  readonly frozen: boolean;
  readonly breakGlass: boolean;
  /** A usable grant that matches the action. */
  readonly grantId: string | null;
  /** Number of operators and above, and of admins, without the requester. */
  readonly operators: number;
  readonly admins: number;
  /** Effects started in the last hour; tokens and USD of the last day. */
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Reads the facts for an action in one round trip. `place`: where a grant must hold; null finds no grant. */
export async function readGovernanceFacts(
  db: Queryable,
  action: Pick<ProposedAction, 'tool' | 'arguments'> & { readonly requester: { readonly userKey: string } },
  place: GrantScope | null,
): Promise<GovernanceFacts> {
  const row = await readRow<Omit<GovernanceFacts, 'at'> & { at: Date }>(db, 'governance_facts')`
    select clock_timestamp() as at, frozen, break_glass as "breakGlass", grant_id as "grantId", operators, admins, calls, tokens::float8,
           cost_usd as "costUsd"
      from governance_facts(${action.requester.userKey}, ${action.tool}, ${JSON.stringify(action.arguments)}::jsonb, ${placeJson(place)}::jsonb)`;
  return { ...row, at: row.at.toISOString() };
}

function placeJson(place: GrantScope | null): string | null {
  return place && JSON.stringify(toGrantScope(place));
}

/** Outside text and private data that a conversation has read, and the person's own words in it. */
export interface ThreadTaint {
  /** The newest results with outside text, with which an alarm compares arguments. */
  readonly untrusted: readonly string[];
  readonly hasPrivate: boolean;
  /** True when the conversation has ever read outside text. */
  readonly isTainted: boolean;
  /** Texts that the person typed in this task since the newest outside text; empty without outside text. */
  readonly typed: readonly string[];
  /** Labels of the buttons that the person pressed in this task since then; empty without outside text. */
  readonly pressed: readonly string[];
  /** Texts that the person recently wrote or pressed in this chat; empty without outside text. */
  readonly said: readonly string[];
}

/**
 * Reads the facts for an action and the taint of its conversation in one round trip, as of one moment. Without `withUse`, calls, tokens
 * and cost are 0: only budgets need them.
 */
export async function readActionFacts(
  db: Queryable,
  action: Pick<ProposedAction, 'tool' | 'threadId'> &
    GrantScope & {
      /** Grants are compared with the JSON of this value. */
      readonly arguments: unknown;
      readonly requester: { readonly userKey: string };
    },
  withUse: boolean,
): Promise<{ readonly facts: GovernanceFacts; readonly taint: ThreadTaint }> {
  const row = await readRow<
    Omit<GovernanceFacts, 'at'> &
      Omit<ThreadTaint, 'hasPrivate' | 'isTainted'> & { at: Date; private: boolean; tainted: boolean }
  >(db, withUse ? 'action_facts_and_use' : 'action_facts')`
    select clock_timestamp() as at, f.frozen, f.break_glass as "breakGlass", f.grant_id as "grantId", f.operators, f.admins,
           ${withUse ? sql`f.calls, f.tokens::float8, f.cost_usd` : sql`0 as calls, 0 as tokens, 0`} as "costUsd", t.*,
           coalesce((select array_agg(i.envelope ->> 'text') from inbox i join thread_taints r on r.thread_id = ${action.threadId}
              where i.user_key = ${action.requester.userKey} and i.kind = 'message' and i.received_at > r.last_at
                and i.envelope -> 'button' <> 'null' and not i.envelope ? 'borrowed'
                and (i.turn_id in (select n.turn_id from turns n where n.thread_id = ${action.threadId})
                     or (i.outcome is null and i.chat_key = ${action.chatKey}
                         and i.id <= (select l.taken_to from lanes l where l.user_key = ${action.requester.userKey} and l.begun > 0)))
            ), '{}') as pressed
      from governance_facts(${action.requester.userKey}, ${action.tool}, ${JSON.stringify(action.arguments)}::jsonb,
             ${placeJson(action)}::jsonb) f, thread_taint(${action.threadId}, ${action.requester.userKey}, ${action.chatKey}) t`;
  const { untrusted, private: hasPrivate, tainted: isTainted, typed, pressed, said, ...facts } = row;
  return {
    facts: { ...facts, at: row.at.toISOString() },
    taint: { untrusted, hasPrivate, isTainted, typed, pressed, said },
  };
}
