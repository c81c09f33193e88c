import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { findValue, listRows, listValues, readRow, sql } from '@signalbox/store/sql';
import {
  findCardResult,
  getCard,
  listCancelledCards,
  listCards,
  lockCard,
  runOncePerAction,
  type CardCaller,
  type CardRisk,
  type CardRow,
  type OwnedCardRow,
} from './card-rows.ts';
import { createStepUps, findRoute, isVerified, type NotifyChat } from './step-ups.ts';

export interface CardTransactionRow {
  readonly transactionId: string;
  readonly at: Date;
  readonly merchant: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly isSuspicious: boolean;
  readonly isReported: boolean;
}

export interface BranchRow {
  readonly name: string;
  readonly city: string;
  readonly street: string;
  readonly hours: string;
}

const RISKS: readonly CardRisk[] = ['low', 'medium', 'high'];
/** Number of weekdays until a new card arrives. */
const DELIVERY_DAYS = 5;
/** Maximum attempts to draw unused last digits. A person uses few of the 10,000, so more attempts indicate a bug. */
const DRAWS = 50;

/**
 * Payment cards in Postgres. Functions only access cards of the account's person, and each action changes them once. Irreversible changes
 * of high-risk cards require proof of identity in the same transaction.
 */
export function createCards(pool: Pool, notify: NotifyChat) {
  return {
    ...createStepUps(pool, notify),
    list: (userKey: string) => listCards(pool, userKey),
    cancelled: (userKey: string) => listCancelledCards(pool, userKey),

    /** Returns the person's card with these last digits. Throws CARD_UNKNOWN, CARD_NONE. */
    get: (userKey: string, last4: string): Promise<CardRow> => getCard(pool, userKey, last4),

    /**
     * Returns a card for policy, and whether the conversation's account has the proof of identity that the risk requires. Throws
     * CARD_UNKNOWN, CARD_NONE.
     */
    async stands(threadId: string, last4: string) {
      const userKey = await ownerOf(pool, threadId);
      const card = await getCard(pool, userKey, last4);
      return { ...card, proof: card.risk === 'high' ? await proofOf(pool, userKey) : 'not needed' };
    },

    /** Returns how the person of a conversation would get a code. */
    routeOf: async (threadId: string) => findRoute(pool, await ownerOf(pool, threadId)),

    /** Returns the stored result of an action; null when the action had no effect. */
    of: (actionId: string) => findCardResult(pool, actionId),

    /** Blocks payments until the card is unfrozen. Requires no proof of identity. Throws CARD_UNKNOWN, CARD_NONE, CARD_NOT_USABLE. */
    freeze: (last4: string, asker: CardCaller) =>
      runOncePerAction(pool, 'frozen', asker, async (db) => {
        const card = await lockCard(db, asker.userKey, last4);
        if (card.status === 'ordered') throw new AppError('CARD_NOT_USABLE', { last4 });
        await setStatus(db, card, 'frozen');
        return { last4, wasFrozen: card.status === 'frozen' };
      }),

    /** Unblocks payments and lowers the risk. Throws CARD_UNKNOWN, CARD_NONE, CARD_NOT_FROZEN, CARD_REPORTED, STEP_UP_NEEDED. */
    unfreeze: (last4: string, asker: CardCaller) =>
      runOncePerAction(pool, 'unfrozen', asker, async (db) => {
        const card = await lockCard(db, asker.userKey, last4);
        if (card.status !== 'frozen') throw new AppError('CARD_NOT_FROZEN', { last4 });
        if (card.isReported) throw new AppError('CARD_REPORTED', { last4 });
        await requireProof(db, card, asker);
        await db.query(sql`update cards set status = 'active', risk = 'low' where card_id = ${card.cardId}`);
        return { last4 };
      }),

    /** Cancels a frozen card permanently and orders a new one. Throws CARD_UNKNOWN, CARD_NONE, CARD_NOT_FROZEN, STEP_UP_NEEDED. */
    replace: (last4: string, asker: CardCaller) =>
      runOncePerAction(pool, 'replaced', asker, async (db) => {
        const card = await lockCard(db, asker.userKey, last4);
        if (card.status !== 'frozen') throw new AppError('CARD_NOT_FROZEN', { last4 });
        await requireProof(db, card, asker);
        await setStatus(db, card, 'cancelled');
        return orderCard(db, card);
      }),

    /** Raises the risk of a card, and never lowers it. Throws CARD_UNKNOWN, CARD_NONE. */
    raiseRisk: (last4: string, risk: CardRisk, asker: CardCaller) =>
      runOncePerAction(pool, 'risk raised', asker, async (db) => {
        const card = await lockCard(db, asker.userKey, last4);
        const raised = RISKS.indexOf(risk) > RISKS.indexOf(card.risk) ? risk : card.risk;
        await db.query(sql`update cards set risk = ${raised} where card_id = ${card.cardId}`);
        return { last4, risk: raised };
      }),

    /** Opens a case about transactions that the person did not make. Throws CARD_UNKNOWN, CARD_NONE, TRANSACTION_UNKNOWN, STEP_UP_NEEDED. */
    reportFraud: (last4: string, transactions: readonly string[], asker: CardCaller) =>
      runOncePerAction(pool, 'fraud reported', asker, async (db) => {
        const card = await lockCard(db, asker.userKey, last4);
        await requireProof(db, card, asker);
        return openCase(db, card, transactions);
      }),

    /** Lists payments with a card, newest first. Throws CARD_UNKNOWN, CARD_NONE. */
    async transactions(userKey: string, last4: string, limit: number): Promise<readonly CardTransactionRow[]> {
      const { cardId } = await getCard(pool, userKey, last4);
      return listRows<CardTransactionRow>(pool)`
        select transaction_id as "transactionId", at, merchant, amount_minor as "amountMinor", currency,
               is_suspicious as "isSuspicious", case_id is not null as "isReported"
          from card_transactions where card_id = ${cardId} order by at desc, transaction_id limit ${limit}`;
    },

    /** Lists the branches in a city, or all branches for null; empty when the city is unknown. */
    branches: (city: string | null): Promise<readonly BranchRow[]> => listRows<BranchRow>(pool)`
      select name, city, street, hours from bank_branches
       where ${city}::text is null or lower(city) = lower(${city}) order by city, name limit 20`,
  };
}

/** Returns the account of a conversation. Throws NOT_FOUND. */
async function ownerOf(db: Queryable, threadId: string): Promise<string> {
  const owner = await findValue<string>(db)`select user_key from threads where thread_id = ${threadId}`;
  if (owner !== null) return owner;
  throw new AppError('NOT_FOUND', { kind: 'conversation', name: threadId, known: 'none' });
}

async function proofOf(db: Queryable, userKey: string): Promise<'given' | 'missing'> {
  return (await isVerified(db, userKey)) ? 'given' : 'missing';
}

async function requireProof(db: Queryable, card: OwnedCardRow, { userKey }: CardCaller): Promise<void> {
  if (card.risk === 'high' && !(await isVerified(db, userKey)))
    throw new AppError('STEP_UP_NEEDED', { last4: card.last4 });
}

async function setStatus(db: Queryable, { cardId }: OwnedCardRow, status: 'frozen' | 'cancelled'): Promise<void> {
  await db.query(sql`update cards set status = ${status} where card_id = ${cardId}`);
}

async function orderCard(db: Queryable, { cardId, person, last4: before, kind }: OwnedCardRow) {
  for (let draw = 1; draw <= DRAWS; draw += 1) {
    const made = await listRows<{ last4: string; arrivesOn: string }>(db)`
      insert into cards (card_id, person, last4, kind, status, address, replaces, arrives_on)
      select ${newId('card')}, ${person}, lpad(floor(random() * 10000)::int::text, 4, '0'), ${kind}, 'ordered', c.address, c.card_id,
             (select d::date from generate_series(current_date + 1, current_date + 14, interval '1 day') d
               where extract(isodow from d) < 6 order by d offset ${DELIVERY_DAYS - 1} limit 1)
        from cards c where c.card_id = ${cardId}
      on conflict (person, last4) where status <> 'cancelled' do nothing
      returning last4, to_char(arrives_on, 'YYYY-MM-DD') as "arrivesOn"`;
    const [card] = made;
    if (card) return { before, ...card };
  }
  throw new Error('no last digits are left for a card of this person');
}

async function openCase(db: Queryable, { cardId, person, last4 }: OwnedCardRow, transactions: readonly string[]) {
  const known = await listValues<string>(db)`select transaction_id from card_transactions
    where card_id = ${cardId} and transaction_id = any (${[...transactions]}) and case_id is null`;
  const unknown = transactions.filter((one) => !known.includes(one));
  if (unknown.length > 0) throw new AppError('TRANSACTION_UNKNOWN', { last4, unknown: unknown.join(', ') });
  const { caseId } = await readRow<{ caseId: string }>(db)`
    insert into card_cases (case_id, card_id, person) values (${newId('case')}, ${cardId}, ${person}) returning case_id as "caseId"`;
  await db.query(sql`update card_transactions set case_id = ${caseId} where transaction_id = any (${[...known]})`);
  await db.query(sql`update cards set risk = 'high' where card_id = ${cardId}`);
  const count = await findValue<number>(db, 0)`
    select count(*)::int from card_transactions where case_id = ${caseId}`;
  return { caseId, last4, transactions: count };
}
