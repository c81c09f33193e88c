import { AppError } from '@signalbox/contracts/errors';
import { SEND_PRIORITY } from '@signalbox/contracts/conversation/envelope';
import { newId, newTraceId } from '@signalbox/contracts/ids';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { say } from '@signalbox/messages/say';
import { CODE_PLACEHOLDER } from '@signalbox/safety/secrets/step-up-code';
import { putLocalized } from '@signalbox/store/conversation/outbox';
import type { Pool, Queryable } from '@signalbox/store/pool';
import { findRow, findValue, hasRow, listRows, sql } from '@signalbox/store/sql';
import { runOncePerAction, type CardCaller } from './card-rows.ts';

/*
 * waiting ─┬─ the right code ─▶ verified, which counts for a quarter of an hour
 *          ├─ the third wrong code ─▶ locked: no code is sent for an hour, and an operator may vouch for the person
 *          └─ the person asked for another code ─▶ replaced
 * A challenge whose code expired stays waiting, and no code is right any more.
 */

/** The private chat in which a person reads a code. */
export interface CodeRecipient {
  readonly userKey: string;
  readonly channel: string;
  readonly chatKey: string;
}

export type CodeCheckResult =
  | { readonly outcome: 'verified' }
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'locked' | 'expired' | 'none' };

/** Delivery of a code: another chat of the person, or an operator. */
export type CodeRoute = { readonly to: 'chat'; readonly channel: string } | { readonly to: 'operator' };

/** Channels whose messages Signalbox does not store, so that a code leaves no trace. */
const CODE_CHANNELS: readonly string[] = ['telegram', 'whatsapp'];
/** Minimum age of a linked account. Otherwise an attacker could link a new account and read the code there. */
const LINKED_FOR = '1 day';
const TRIES = 3;
const CODES_PER_HOUR = 3;
const VERIFIED_FOR = '15 minutes';
const LOCKED_FOR = '1 hour';

/** True when the person has recently proved their identity. */
export async function isVerified(db: Queryable, userKey: string): Promise<boolean> {
  return hasRow(db)`select from card_verifications where user_key = ${userKey} and expires_at > clock_timestamp()`;
}

/** Returns how the person of this account would get a code. */
export async function findRoute(db: Queryable, userKey: string): Promise<CodeRoute> {
  const reader = await findOwnReader(db, userKey);
  return reader ? { to: 'chat', channel: reader.channel } : { to: 'operator' };
}

/** Wakes the sender of a chat after the commit. A sweeper delivers the message if this wake-up is lost. */
export type NotifyChat = (chatKey: string, traceId: string) => Promise<void>;

/** Proof of identity by a code in another chat, or by an operator. */
export function createStepUps(pool: Pool, notify: NotifyChat) {
  return {
    isVerified: (userKey: string) => isVerified(pool, userKey),

    /**
     * Sends a code to another private chat of the person, or to the operator who approved this action. Throws STEP_UP_LOCKED,
     * STEP_UP_TOO_MANY, STEP_UP_NO_CHAT, STEP_UP_UNAPPROVED.
     */
    async sendCode(to: CodeRoute['to'], name: string, asker: CardCaller) {
      const traceId = newTraceId();
      const notified: string[] = [];
      const sent = await runOncePerAction(pool, 'code sent', asker, async (db) => {
        if (await isLocked(db, asker.userKey)) throw new AppError('STEP_UP_LOCKED', {});
        if (await hasManyCodes(db, asker.userKey)) throw new AppError('STEP_UP_TOO_MANY', {});
        const reader = to === 'chat' ? await findOwnReader(db, asker.userKey) : await findApprover(db, asker.actionId);
        if (!reader) throw new AppError(to === 'chat' ? 'STEP_UP_NO_CHAT' : 'STEP_UP_UNAPPROVED', {});
        await putChallenge(db, asker.userKey, reader, { traceId, forName: to === 'chat' ? null : name });
        notified.push(reader.chatKey);
        return { to, channel: to === 'chat' ? reader.channel : null };
      });
      for (const chatKey of notified) await notify(chatKey, traceId);
      return sent;
    },

    /** Compares the keyed hash of a typed code with the stored hash. Three wrong codes lock the account. */
    checkCode: (mark: string, asker: CardCaller) =>
      runOncePerAction(pool, 'code checked', asker, (db) => checkCode(db, asker.userKey, mark)),

    /** Records that the operator who approved this action vouches for the person. Throws STEP_UP_UNAPPROVED. */
    vouch: (asker: CardCaller) =>
      runOncePerAction(pool, 'vouched', asker, async (db) => {
        const operator = await requireVoter(db, asker.actionId);
        await db.query(sql`update card_step_ups set status = 'replaced', ended_at = clock_timestamp()
          where person = person_of(${asker.userKey}) and status in ('waiting', 'locked')`);
        await putVerification(db, asker.userKey, operator);
        return { isVerified: true };
      }),

    /** Assigns the person's fraud cases to the operator who approved this action. Throws STEP_UP_UNAPPROVED. */
    takeCases: (asker: CardCaller) =>
      runOncePerAction(pool, 'cases taken', asker, async (db) => {
        const operator = await requireVoter(db, asker.actionId);
        const taken = await listRows<{ caseId: string }>(db)`update card_cases set taken_by = ${operator}
          where person = person_of(${asker.userKey}) and taken_by is null returning case_id as "caseId"`;
        return { cases: taken.length };
      }),
  };
}

/** Finds the person's newest private chat on another channel, excluding recently linked accounts. */
function findOwnReader(db: Queryable, userKey: string): Promise<CodeRecipient | null> {
  return findRow<CodeRecipient>(db)`
    select u.user_key as "userKey", u.channel, c.chat_key as "chatKey" from users asker
      join users u on u.person = asker.person and u.channel <> asker.channel
      join lateral (select i.id, i.chat_key from inbox i where i.user_key = u.user_key and i.envelope ->> 'chatKind' = 'private'
                     order by i.id desc limit 1) c on true
     where asker.user_key = ${userKey} and not u.is_program and u.channel = any (${[...CODE_CHANNELS]})
       and u.created_at < clock_timestamp() - ${LINKED_FOR}::interval
       and not exists (select from chats x where x.chat_key = c.chat_key and x.parked_at is not null)
     order by c.id desc limit 1`;
}

/** Returns who approved an action, other than the person who requested it; null without approval. */
function findVoter(db: Queryable, actionId: string): Promise<string | null> {
  return findValue<string>(db)`
    select v.user_key from approvals a join approval_votes v on v.approval_id = a.approval_id
     where a.action_id = ${actionId} and a.status = 'consumed' and not a.by_requester
       and person_of(v.user_key) <> person_of(a.user_key)
     order by v.voted_at limit 1`;
}

async function requireVoter(db: Queryable, actionId: string): Promise<string> {
  const voter = await findVoter(db, actionId);
  if (voter === null) throw new AppError('STEP_UP_UNAPPROVED', {});
  return voter;
}

/** Finds the private chat of the operator who approved an action. */
async function findApprover(db: Queryable, actionId: string): Promise<CodeRecipient | null> {
  const voter = await findVoter(db, actionId);
  if (voter === null) return null;
  return findRow<CodeRecipient>(db)`
    select u.user_key as "userKey", u.channel, c.chat_key as "chatKey" from users u
      join lateral (select i.chat_key from inbox i where i.user_key = u.user_key and i.envelope ->> 'chatKind' = 'private'
                     order by i.id desc limit 1) c on true
     where u.person = person_of(${voter}) and not u.is_program and u.channel = any (${[...CODE_CHANNELS]})
     order by u.user_key <> ${voter} limit 1`;
}

async function isLocked(db: Queryable, userKey: string): Promise<boolean> {
  return hasRow(db)`select from card_step_ups
    where person = person_of(${userKey}) and status = 'locked' and ended_at > clock_timestamp() - ${LOCKED_FOR}::interval`;
}

async function hasManyCodes(db: Queryable, userKey: string): Promise<boolean> {
  const sent = await findValue<number>(db, 0)`select count(*)::int from card_step_ups
    where person = person_of(${userKey}) and created_at > clock_timestamp() - interval '1 hour'`;
  return sent >= CODES_PER_HOUR;
}

/** Replaces the waiting challenge, and queues the message into which the gateway writes the code. */
async function putChallenge(
  db: Queryable,
  userKey: string,
  { userKey: sentTo, chatKey }: CodeRecipient,
  { traceId, forName }: { readonly traceId: string; readonly forName: string | null },
): Promise<void> {
  const challengeId = newId('chl');
  await db.query(sql`update card_step_ups set status = 'replaced', ended_at = clock_timestamp()
    where user_key = ${userKey} and status = 'waiting'`);
  await db.query(sql`insert into card_step_ups (challenge_id, user_key, person, sent_to)
    values (${challengeId}, ${userKey}, person_of(${userKey}), ${sentTo})`);
  await putLocalized(db, [chatKey], (chat) => ({
    key: `step-up:${challengeId}`,
    chatKey: chat,
    userKey: sentTo,
    traceId,
    priority: SEND_PRIORITY.control,
    body: {
      text:
        forName === null
          ? say('cards.codeForYou', { code: CODE_PLACEHOLDER })
          : say('cards.codeToPassOn', { code: CODE_PLACEHOLDER, name: toPlainName(forName) }),
      buttons: [],
      code: { challengeId },
    },
  }));
}

interface WaitingRow {
  readonly challengeId: string;
  readonly mark: string | null;
  readonly tries: number;
  readonly isOver: boolean;
}

async function checkCode(db: Queryable, userKey: string, mark: string): Promise<CodeCheckResult> {
  if (await isLocked(db, userKey)) return { outcome: 'locked' };
  const waiting = await findRow<WaitingRow>(db)`
    select challenge_id as "challengeId", mark, wrong_tries as tries, expires_at < clock_timestamp() as "isOver" from card_step_ups
     where user_key = ${userKey} and status = 'waiting' for update`;
  if (!waiting) return { outcome: 'none' };
  if (waiting.isOver) return { outcome: 'expired' };
  const { challengeId } = waiting;
  if (waiting.mark !== null && waiting.mark === mark) {
    await db.query(sql`update card_step_ups set status = 'verified', ended_at = clock_timestamp()
      where challenge_id = ${challengeId}`);
    await putVerification(db, userKey, 'code');
    return { outcome: 'verified' };
  }
  const triesLeft = TRIES - waiting.tries - 1;
  await db.query(sql`update card_step_ups set wrong_tries = wrong_tries + 1,
      status = case when ${triesLeft}::int > 0 then status else 'locked' end,
      ended_at = case when ${triesLeft}::int > 0 then null else clock_timestamp() end
    where challenge_id = ${challengeId}`);
  return triesLeft > 0 ? { outcome: 'wrong', triesLeft } : { outcome: 'locked' };
}

async function putVerification(db: Queryable, userKey: string, by: string): Promise<void> {
  await db.query(sql`insert into card_verifications (user_key, by, expires_at)
    values (${userKey}, ${by}, clock_timestamp() + ${VERIFIED_FOR}::interval)
    on conflict (user_key) do update set by = excluded.by, at = clock_timestamp(), expires_at = excluded.expires_at`);
}
