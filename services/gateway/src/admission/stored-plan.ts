import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import { findPrompted, putPrompt } from './approval-prompts.ts';
import { admitInbox, type Admission, type AdmissionResult } from './inbox.ts';
import { redeemCode, voidCode } from '../commands/invitations.ts';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findUser, readLanguages } from '@signalbox/store/people/users';
import { inLanguage } from '@signalbox/messages/language';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { Answer } from '../commands/question.ts';
import type { Channel } from '../channels/channel.ts';
import { answerQuestion, toBody } from '../commands/answer.ts';
import { describeCode } from '../commands/codes.ts';
import { controlLine } from './control-line.ts';
import { keepFound } from './secrets/keep-secrets.ts';
import { asCode, type Plan } from './plan.ts';
import { mayAnswer, tryAct, tryPrompt } from './approval-press.ts';
import { isStopWord, tryEndLog } from './log-stop.ts';
import { checkVoicePress, settleVoicePress } from './voice/voice-press.ts';

/** What became of one plan, and who must hear of it after the commit. */
export interface Stored {
  readonly plan: Plan;
  readonly admitted: AdmissionResult;
  /** Chats that have something to say besides what admission itself said. */
  readonly chats: readonly string[];
  /** People whose lanes must hear of a stop. */
  readonly stops: readonly string[];
  readonly peopleChanged: boolean;
  /** What the person who pressed a button sees for a moment, when that is not what the button said. */
  readonly toast: string | null;
  /** Lanes of others that go on. */
  readonly wakes: readonly WakeUp[];
}

/** What storing needs beside the plans. */
export interface StoreParts {
  readonly pool: Pool;
  readonly channel: Channel;
  /** Seals what people send by accident. */
  readonly cipher: SecretSealer;
  /** The policy set that is in force now. */
  readonly policy: () => PolicyEngine;
}

/** Beyond its limit a code is answered once in this time. */
const LIMIT_TOLD_MS = 10 * MINUTE_MS;

/**
 * Stores a batch in one transaction: codes are tried, rows put into the inbox, questions answered. Storing the same updates again
 * changes nothing. The hot path is one look for prompts and one call; only commands, codes and answers need a transaction around it.
 */
export async function storePlans(deps: StoreParts, plans: readonly Plan[]): Promise<readonly Stored[]> {
  const { pool } = deps;
  const people = new Set(plans.filter(mayAnswer).map(({ envelope }) => envelope.userKey));
  const prompted = people.size === 0 ? people : await findPrompted(pool, [...people]);
  if (prompted.size === 0 && plans.every(isPlain)) return zip(plans, await admitInbox(pool, admissionsOf(plans)));
  return withTransaction(pool, async (db) => {
    const tried: Plan[] = [];
    for (const plan of plans)
      tried.push(
        await inLanguage(plan.language, async () =>
          checkVoicePress(
            db,
            await tryEndLog(
              db,
              await tryPrompt(db, await tryAct(db, await tryCode(db, plan)), prompted.has(plan.envelope.userKey)),
            ),
          ),
        ),
      );
    const stored = zip(tried, await admitInbox(db, admissionsOf(tried)));
    const answered: Stored[] = [];
    for (const one of stored)
      answered.push(
        await inLanguage(one.plan.language, async () =>
          answer(db, deps, await hear(db, await keep(db, deps.cipher, one))),
        ),
      );
    return answered;
  });
}

function isPlain({ answer: asked, code, secrets, pressed, answers, envelope }: Plan): boolean {
  return (
    !isStopWord(envelope.text) &&
    asked === null &&
    code === null &&
    pressed === null &&
    answers === null &&
    secrets.found.length === 0
  );
}

/** Keeps the secrets of what was taken in; what was refused or came before leaves none behind. */
async function keep(db: Queryable, cipher: SecretSealer, stored: Stored): Promise<Stored> {
  if (!['accepted', 'merged', 'answered'].includes(stored.admitted.verdict)) return stored;
  const isSaid = await keepFound(db, cipher, stored.plan);
  return isSaid ? { ...stored, chats: [...stored.chats, stored.plan.envelope.chatKey] } : stored;
}

/** A press on the question about a voice note has its effect in the transaction that takes it in. */
async function hear(db: Queryable, stored: Stored): Promise<Stored> {
  const isSaid = await settleVoicePress(db, stored.plan, stored.admitted);
  return isSaid ? { ...stored, chats: [...stored.chats, stored.plan.envelope.chatKey] } : stored;
}

function admissionsOf(plans: readonly Plan[]): readonly Admission[] {
  return plans.map(({ admission }) => admission);
}

function zip(plans: readonly Plan[], admitted: readonly AdmissionResult[]): readonly Stored[] {
  return plans.flatMap((plan, place) => {
    const one = admitted[place];
    return one ? [{ plan, admitted: one, chats: [], stops: [], peopleChanged: false, toast: null, wakes: [] }] : [];
  });
}

/** Tries what may be a code. What only looks like a code stays words when its author has a role. */
async function tryCode(db: Queryable, plan: Plan): Promise<Plan> {
  const { code } = plan;
  if (code === null) return plan;
  const { userKey, channel, name } = plan.envelope;
  const mayBeWords = !code.sure && (await findUser(db, userKey)) !== null;
  if (code.exposed) {
    const wasCode = await voidCode(db, code.text);
    return wasCode || !mayBeWords ? asCode(plan, { kind: 'exposed-code' }, null) : plan;
  }
  const outcome = await redeemCode(db, code.text, { userKey, channel, name });
  if (mayBeWords && (outcome.kind === 'unknown' || outcome.kind === 'limited')) return plan;
  // Beyond the limit every code gets the same answer: once in ten minutes is enough.
  const again = outcome.kind === 'limited' ? `${userKey}:${Math.floor(Date.now() / LIMIT_TOLD_MS)}` : plan.envelope.id;
  return asCode(plan, { kind: 'code', outcome }, { key: `code:${again}`, text: describeCode(outcome, name) });
}

/** Where nothing can be shown for a moment, it is said. */
function withoutToast({ answerPress }: Channel, given: Answer): Answer {
  return answerPress || given.text !== null || !given.toast ? given : { ...given, text: given.toast };
}

async function answer(db: Queryable, { channel, cipher, policy }: StoreParts, stored: Stored): Promise<Stored> {
  const { plan, admitted } = stored;
  if (admitted.verdict !== 'answered' || plan.answer === null || admitted.id === null || !admitted.role) return stored;
  const { envelope } = plan;
  const asked = { inboxId: admitted.id, role: admitted.role, envelope, secret: plan.secrets.given };
  const given = withoutToast(channel, await answerQuestion({ db, channel, cipher, policy }, plan.answer, asked));
  const notices = given.notices ?? [];
  const languages = notices.length === 0 ? [] : await readLanguages(db, notices);
  const replyKey = `reply:${envelope.id}`;
  const noticeKey = (n: number): string => `notice:${envelope.id}:${n}`;
  if (given.text !== null) await putOutbox(db, [controlLine(envelope, replyKey, toBody(given, envelope))]);
  const below = (await given.putBelow?.()) ?? [];
  for (const [n, one] of notices.entries())
    await inLanguage(languages[n], () => {
      const body = { text: one.text(), buttons: [], ...(one.prompt ? { asksReply: true } : {}) };
      return putOutbox(db, [controlLine(envelope, noticeKey(n), body, one)]);
    });
  if (given.prompt) await putPrompt(db, { ...given.prompt, outboxKey: replyKey });
  for (const [n, { prompt }] of notices.entries())
    if (prompt) await putPrompt(db, { ...prompt, outboxKey: noticeKey(n) });
  const said = [...(given.text === null ? [] : [envelope]), ...notices].map((one) => one.chatKey);
  return {
    ...stored,
    chats: [...stored.chats, ...said, ...below, ...(given.chats ?? [])],
    stops: given.stops ?? [],
    peopleChanged: given.peopleChanged ?? false,
    toast: given.toast ?? null,
    wakes: given.wake ? [given.wake] : [],
  };
}
