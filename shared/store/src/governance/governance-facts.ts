import type { ProposedAction } from '@signalbox/contracts/governance/action';
import { toGrantScope, type GrantScope } from './grants.ts';
import type { Queryable } from '../pool.ts';
import { readRow, sql } from '../sql.ts';

/** Current facts on which a decision depends, besides the action itself. */
export interface GovernanceFacts {
  /** Time by the database's clock, as ISO 8601. */
  readonly at: string;
  readonly frozen: boolean;
  readonly breakGlass: boolean;
  /** Id of a usable grant that covers the action; null when there is none. */
  readonly grantId: string | null;
  /** Number of people who are operators or admins, and of admins, without the requester. */
  readonly operators: number;
  readonly admins: number;
  /** Actions started in the last hour; tokens and USD used in the last day. */
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Reads the facts for a decision in one round trip. `place`: where the grant must hold; with null no grant is found. */
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

/** Outside text and private data that a conversation has read, and what the person wrote in it. */
export interface ThreadTaint {
  /** Newest results with outside text. The taint check compares arguments with them. */
  readonly untrusted: readonly string[];
  readonly hasPrivate: boolean;
  /** True when the conversation has ever read outside text. */
  readonly isTainted: boolean;
  /** Texts that the person typed in this task after the newest outside text; empty when there was none. */
  readonly typed: readonly string[];
  /** Labels of buttons that the person pressed in this task after the newest outside text; empty when there was none. */
  readonly pressed: readonly string[];
  /** Texts that the person recently wrote or pressed in this chat; empty when the conversation read no outside text. */
  readonly said: readonly string[];
}

/**
 * Reads the facts for a decision and the taint of its conversation in one round trip, as of one moment. Without `withUse`, calls, tokens
 * and cost are 0, because only budgets need them.
 */
export async function readActionFacts(
  db: Queryable,
  action: Pick<ProposedAction, 'tool' | 'threadId'> &
    GrantScope & {
      /** Arguments of the action. Grants are compared with their JSON. */
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
