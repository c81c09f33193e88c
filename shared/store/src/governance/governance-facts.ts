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

/**
 * What a person said once: a text that they typed, or the value of a button that they pressed. A button that was `offered` stands for a
 * whole call, which it confirms itself.
 */
export interface SaidWords {
  readonly text: string;
  readonly by: 'typed' | 'pressed' | 'offered';
  /** True when they said it after the same call was last carried out. */
  readonly fresh: boolean;
  /** True for the call of an answer, when they said it in the conversation whose open question it answers, after the question. */
  readonly isReply: boolean;
}

/** What the person said in a conversation, newest first, and whether the conversation has read private data. */
export interface OwnWords {
  readonly hasPrivate: boolean;
  readonly said: readonly SaidWords[];
}

/**
 * Reads the facts for a decision and the person's words in one round trip, as of one moment. Without `use`, calls, tokens and cost are 0,
 * because only budgets need them. Without `words`, nothing is said.
 */
export async function readActionFacts(
  db: Queryable,
  action: Pick<ProposedAction, 'tool' | 'threadId'> &
    GrantScope & {
      /** Arguments of the action. Grants are compared with their JSON. */
      readonly arguments: unknown;
      readonly requester: { readonly userKey: string };
    },
  needs: { readonly use: boolean; readonly words: boolean },
): Promise<{ readonly facts: GovernanceFacts; readonly words: OwnWords }> {
  const row = await readRow<
    Omit<GovernanceFacts, 'at'> & Omit<OwnWords, 'hasPrivate'> & { at: Date; private: boolean }
  >(db, needs.use ? 'action_facts_and_use' : 'action_facts')`
    select clock_timestamp() as at, f.frozen, f.break_glass as "breakGlass", f.grant_id as "grantId", f.operators, f.admins,
           ${needs.use ? sql`f.calls, f.tokens::float8, f.cost_usd` : sql`0 as calls, 0 as tokens, 0`} as "costUsd", w.*
      from governance_facts(${action.requester.userKey}, ${action.tool}, ${JSON.stringify(action.arguments)}::jsonb,
             ${placeJson(action)}::jsonb) f, own_words(${action.threadId}, ${action.requester.userKey}, ${action.chatKey}, ${needs.words},
             ${action.tool}, ${JSON.stringify(action.arguments)}::jsonb) w`;
  const { private: hasPrivate, said, ...facts } = row;
  return { facts: { ...facts, at: row.at.toISOString() }, words: { hasPrivate, said } };
}
