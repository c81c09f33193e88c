import { AppError } from '@signalbox/contracts/errors';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findValue, listRows, listValues, sql } from '@signalbox/store/sql';

export type CardStatus = 'ordered' | 'active' | 'frozen' | 'cancelled';
export type CardRisk = 'low' | 'medium' | 'high';

/** A payment card as its owner may see it, without card number and token. */
export interface CardRow {
  readonly last4: string;
  readonly kind: 'debit' | 'credit';
  readonly status: CardStatus;
  /** Risk of misuse. Agents may raise the risk; only a change with proof of identity lowers it. */
  readonly risk: CardRisk;
  /** Arrival day of an ordered card: `2026-03-09`. */
  readonly arrivesOn: string | null;
  readonly isReported: boolean;
}

export interface OwnedCardRow extends CardRow {
  readonly cardId: string;
  readonly person: string;
}

/** The account that makes a request, and the action that has the effect. */
export interface CardCaller {
  readonly userKey: string;
  readonly actionId: string;
}

/** A person names one of the newest; older ones are only known to the bank. */
const CANCELLED_LISTED = 20;

const COLUMNS = sql`c.last4, c.kind, c.status, c.risk, to_char(c.arrives_on, 'YYYY-MM-DD') as "arrivesOn",
  exists (select from card_cases x where x.card_id = c.card_id) as "isReported"`;

/** Lists the uncanceled cards of the person behind an account, oldest first. */
export function listCards(db: Queryable, userKey: string): Promise<readonly CardRow[]> {
  return listRows<CardRow>(db)`select ${COLUMNS} from cards c
    where c.person = person_of(${userKey}) and c.status <> 'cancelled' order by c.created_at, c.card_id`;
}

/** A cancelled card, and the card that stands in its place now; null when that one is cancelled without a successor. */
export interface CancelledCardRow {
  readonly last4: string;
  readonly successor: string | null;
}

/** Lists the person's cancelled cards with the last card in the chain of their replacements, newest first. */
export function listCancelledCards(db: Queryable, userKey: string): Promise<readonly CancelledCardRow[]> {
  return listRows<CancelledCardRow>(db)`
    with recursive chain as (
      select c.card_id as begun, c.last4, c.created_at, c.card_id from cards c
       where c.person = person_of(${userKey}) and c.status = 'cancelled'
      union all
      select chain.begun, chain.last4, chain.created_at, next.card_id from chain join cards next on next.replaces = chain.card_id)
    select chain.last4, max(c.last4) filter (where c.status <> 'cancelled') as successor
      from chain join cards c using (card_id)
     group by chain.begun, chain.last4, chain.created_at order by chain.created_at desc, chain.begun limit ${CANCELLED_LISTED}`;
}

/** Returns the person's card with these last digits, locked until the transaction ends. Throws CARD_UNKNOWN, CARD_NONE. */
export async function lockCard(db: Queryable, userKey: string, last4: string): Promise<OwnedCardRow> {
  await db.query(sql`select from cards where person = person_of(${userKey}) and last4 = ${last4} for update`);
  return getCard(db, userKey, last4);
}

/** Returns the person's card with these last digits. Throws CARD_UNKNOWN, CARD_NONE. */
export async function getCard(db: Queryable, userKey: string, last4: string): Promise<OwnedCardRow> {
  const [card] = await listRows<OwnedCardRow>(db)`select c.card_id as "cardId", c.person, ${COLUMNS} from cards c
    where c.person = person_of(${userKey}) and c.last4 = ${last4} and c.status <> 'cancelled'`;
  if (card) return card;
  const known = await listValues<string>(db)`select last4 from cards
    where person = person_of(${userKey}) and status <> 'cancelled' order by created_at, card_id`;
  if (known.length === 0) throw new AppError('CARD_NONE', {});
  throw new AppError('CARD_UNKNOWN', { last4, known: known.join(', ') });
}

/**
 * Runs `work` once per action, in one transaction with the event that stores its result. A repeated call returns the first result. The
 * result must be JSON without codes and card numbers.
 */
export function runOncePerAction<T>(
  pool: Pool,
  kind: string,
  { userKey, actionId }: CardCaller,
  work: (db: Queryable) => Promise<T>,
): Promise<T> {
  return withTransaction(pool, async (db) => {
    await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`card action ${actionId}`}, 0))`);
    const earlier = await findValue<T>(db)`select result from card_events where action_id = ${actionId}`;
    if (earlier !== null) return earlier;
    const result = await work(db);
    await db.query(sql`insert into card_events (action_id, kind, person, result)
      values (${actionId}, ${kind}, person_of(${userKey}), ${JSON.stringify(result)}::jsonb)`);
    return result;
  });
}

/** Returns the stored result of an action; null when the action had no effect. */
export function findCardResult(db: Queryable, actionId: string): Promise<unknown> {
  return findValue<unknown>(db)`select result from card_events where action_id = ${actionId}`;
}
