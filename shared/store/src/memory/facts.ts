import { AppError } from '@signalbox/contracts/errors';
import type { Role } from '@signalbox/contracts/governance/roles';
import { redactText } from '@signalbox/safety/redact/redact';
import { withTransaction, type Pool, type Queryable } from '../pool.ts';
import { findRow, findValue, hasRow, listRows, readRow, sql, type Sql } from '../sql.ts';
import { appendAudit } from '../audit/audit.ts';
import { noteEffect } from '../effects.ts';
import { pickFact } from './fact-words.ts';

/** A fact that a person asked to remember; all accounts of the person share it. */
export interface MemoryFact {
  /** Number of the fact among the person's facts, never reused. */
  readonly n: number;
  readonly fact: string;
  /** Source of the outside text that the fact may come from; null when it is in the person's own words. */
  readonly outside: string | null;
  readonly madeAt: Date;
}

/** Maximum number of facts per person. */
const MAX_FACTS = 10_000;
/** Maximum number of facts that a search returns. */
const MAX_FOUND = 20;

/** Matches the handle that replaced a secret in a message. */
const HANDLE = /\bsecret:[a-z0-9]/i;

const COLUMNS = sql`n, fact, outside, made_at as "madeAt"`;

/** Creates access to the facts that people asked to remember. */
export function createMemoryStore(pool: Pool) {
  return {
    /**
     * Remembers a fact for the person of this account. A known fact keeps its number. The assessment of the action tells whether the fact
     * is text from outside. Idempotent by action id. Throws MEMORY_SECRET, MEMORY_FULL.
     */
    remember: (fact: NewFact): Promise<MemoryFact> => withTransaction(pool, (db) => rememberWithin(db, fact)),

    /** Finds the fact that this action stored; null when it stored none. */
    rememberedBy: (actionId: string): Promise<MemoryFact | null> =>
      findRow<MemoryFact>(pool)`select ${COLUMNS} from memory_facts where action_id = ${actionId}`,

    /**
     * Finds facts with a word of the query, newest first, at most 20; without a query, the newest facts. Throws MEMORY_PRIVATE outside
     * private chats.
     */
    async recall(of: { readonly userKey: string; readonly threadId: string }, query: string | null) {
      const isPrivate = await findValue<boolean>(pool)`
        select is_private_to(identities_of(${of.userKey}), chat_key) from threads where thread_id = ${of.threadId}`;
      if (isPrivate !== true) throw new AppError('MEMORY_PRIVATE', {});
      const words = query === null ? [] : query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu);
      return listRows<MemoryFact>(pool)`
        select ${COLUMNS} from memory_facts where person = person_of(${of.userKey})
           and (${words ?? []}::text[] = '{}' or exists (select from unnest(${words ?? []}::text[]) w where position(w in lower(fact)) > 0))
         order by n desc limit ${MAX_FOUND}`;
    },

    /**
     * Finds the fact of the conversation's person with this number, or else the only one that words mean. Throws MEMORY_PRIVATE outside
     * private chats, FACT_UNKNOWN, SEVERAL_FACTS.
     */
    async find(threadId: string, { number, words }: { readonly number: number | null; readonly words: string | null }) {
      const owner = await findRow<{ person: string; isPrivate: boolean }>(pool)`
        select person_of(user_key) as person, is_private_to(identities_of(user_key), chat_key) as "isPrivate" from threads
         where thread_id = ${threadId}`;
      if (owner?.isPrivate !== true) throw new AppError('MEMORY_PRIVATE', {});
      const facts = await listRows<MemoryFact>(pool)`
        select ${COLUMNS} from memory_facts where person = ${owner.person} order by n desc`;
      return pickFact(facts, { number, words });
    },

    /** Forgets a fact of this person, as the effect of an action. False when it was forgotten before. */
    forget: ({ userKey, number, actionId, role }: ForgottenFact): Promise<boolean> =>
      withTransaction(pool, async (db) => {
        if (!(await forgetFact(db, userKey, number))) return false;
        await noteEffect(db, actionId);
        const data = { role, what: String(number) };
        await appendAudit(db, [{ kind: 'memory.forgotten', actor: userKey, actionId, data }]);
        return true;
      }),
  };
}

export interface ForgottenFact {
  readonly userKey: string;
  readonly number: number;
  readonly actionId: string;
  /** The role with which the person asked, for the audit. */
  readonly role: Role;
}

export interface NewFact {
  readonly userKey: string;
  readonly threadId: string;
  readonly fact: string;
  readonly actionId: string;
}

/**
 * Remembers a fact that a command contains, in the transaction that admits the message. `outside`: the source when the person only
 * forwarded the text. Throws MEMORY_SECRET, MEMORY_FULL.
 */
export async function rememberTyped(
  db: Queryable,
  typed: Pick<NewFact, 'userKey' | 'fact'> & Pick<MemoryFact, 'outside'> & { readonly commandId: string },
): Promise<MemoryFact> {
  const { outside, commandId, ...fact } = typed;
  return (await keepFact(db, { ...fact, threadId: '', actionId: commandId }, sql`${outside}::text`)).kept;
}

async function rememberWithin(db: Queryable, fact: NewFact): Promise<MemoryFact> {
  const { threadId, actionId } = fact;
  // Without an assessment, a fact does not count as the person's own words. What they typed is theirs, whoever asked for the act.
  const outside = sql`
    case when coalesce((select (a.proposal #>> '{action,assessment,tainted}')::boolean from actions a where a.action_id = ${actionId}), true)
          and not exists (
            select from threads t, own_words(t.thread_id, t.user_key, t.chat_key, true, '', '{}') w, jsonb_array_elements(w.said) one
             where t.thread_id = ${threadId} and one ->> 'by' = 'typed' and position(lower(${fact.fact}) in lower(one ->> 'text')) > 0)
         then coalesce((select t.source from thread_taints t where t.thread_id = ${threadId}), 'unknown') end`;
  const { kept, isNew } = await keepFact(db, fact, outside);
  // The row of a known fact names the action that first stored the fact.
  if (!isNew) await noteEffect(db, actionId, kept);
  return kept;
}

async function keepFact(db: Queryable, { userKey, threadId, fact, actionId }: NewFact, outside: Sql) {
  if (redactText(fact) !== fact || HANDLE.test(fact)) throw new AppError('MEMORY_SECRET', {});
  // Locks the person's memory, so that concurrent writes of one fact see each other.
  const person = await findValue<string>(db)`
    insert into memories as m (person) values (person_of(${userKey}))
      on conflict (person) do update set version = m.version + 1 returning person`;
  const known = await findRow<MemoryFact>(db)`
    select ${COLUMNS} from memory_facts where person = ${person}
       and (action_id = ${actionId} or lower(fact) = lower(${fact}) and outside is null) limit 1`;
  if (known) return { kept: known, isNew: false };
  const count = await findValue<number>(db, 0)`select count(*)::int from memory_facts where person = ${person}`;
  if (count >= MAX_FACTS) throw new AppError('MEMORY_FULL', { limit: String(MAX_FACTS) });
  const n = await findValue<number>(db)`
    update memories set last_n = last_n + 1 where person = ${person} returning last_n`;
  const kept = await readRow<MemoryFact>(db)`
    insert into memory_facts (person, n, fact, outside, user_key, thread_id, action_id)
    values (${person}, ${n}, ${fact}, ${outside}, ${userKey}, ${threadId}, ${actionId})
    returning ${COLUMNS}`;
  return { kept, isNew: true };
}

/** Lists the newest facts of this account's person, and the total number. */
export async function listFacts(db: Queryable, userKey: string, limit: number) {
  const facts = await listRows<MemoryFact>(db)`
    select ${COLUMNS} from memory_facts where person = person_of(${userKey}) order by n desc limit ${limit}`;
  const total = await findValue<number>(db, 0)`
    select count(*)::int from memory_facts where person = person_of(${userKey})`;
  return { facts, total };
}

/** Forgets one fact by its number. False when the number is unknown. */
export async function forgetFact(db: Queryable, userKey: string, n: number): Promise<boolean> {
  const gone = await hasRow(db)`delete from memory_facts where person = person_of(${userKey}) and n = ${n}`;
  if (gone) await expireMemoryCache(db, userKey);
  return gone;
}

/** Forgets all facts of a person, and the outcomes in their conversations. Returns the number of facts. */
export async function forgetAll(db: Queryable, userKey: string): Promise<number> {
  return forgetMemory(db, await findMemoryOwner(db, userKey));
}

/** The person who owns a memory: the person's key and accounts. */
export interface MemoryOwner {
  readonly person: string;
  readonly accounts: readonly string[];
}

/** Finds the person of an account. */
export function findMemoryOwner(db: Queryable, userKey: string): Promise<MemoryOwner> {
  return readRow<MemoryOwner>(db)`select person_of(${userKey}) as person, identities_of(${userKey}) as accounts`;
}

/** Forgets all facts and outcomes of a person whose accounts may be unlinked by now. */
export async function forgetMemory(db: Queryable, { person, accounts }: MemoryOwner): Promise<number> {
  await db.query(sql`insert into memories as m (person, forgotten_to) values (${person}, clock_timestamp())
    on conflict (person) do update set version = m.version + 1, forgotten_to = excluded.forgotten_to`);
  const { rowCount } = await db.query(sql`delete from memory_facts where person = ${person}`);
  // Forgets open conversations too, which would bring their outcomes back.
  await db.query(sql`insert into memory_forgotten (person, thread_id)
    select ${person}, thread_id from threads where user_key = any (${accounts}) and status = 'open' on conflict do nothing`);
  return rowCount ?? 0;
}

/** Invalidates the memory of a person that workers have cached. */
export async function expireMemoryCache(db: Queryable, userKey: string): Promise<void> {
  await db.query(sql`insert into memories as m (person) values (person_of(${userKey}))
    on conflict (person) do update set version = m.version + 1`);
}
