import type { PolicyEngine } from '@signalbox/contracts/governance/decision';
import type { WakeUp } from '@signalbox/contracts/conversation/topics';
import { findPromptedUsers, putPrompt } from '../rows/approval-prompts.ts';
import { admitUpdates, type InboxUpdate, type AdmissionResult } from '../rows/inbox.ts';
import { redeemCode, voidCode } from '../commands/invitations.ts';
import { putOutbox } from '@signalbox/store/conversation/outbox';
import { withTransaction, type Pool, type Queryable } from '@signalbox/store/pool';
import { findUser, readLanguages } from '@signalbox/store/people/users';
import { runInLanguage } from '@signalbox/messages/language';
import type { SecretSealer } from '@signalbox/safety/secrets/cipher';
import { MINUTE_MS } from '@signalbox/contracts/time';
import type { GatewayAnswer } from '../commands/question.ts';
import type { Channel } from '../channels/channel.ts';
import { answerQuestion, toAnswerBody } from '../commands/answer.ts';
import { describeCode } from '../commands/codes.ts';
import { createControlMessage } from './control-line.ts';
import { storeFoundSecrets } from './secrets/keep-secrets.ts';
import { toCodePlan, type AdmissionPlan } from './plan.ts';
import { canAnswerPrompt, matchApprovalPress, matchPromptReply } from './presses/approval-press.ts';
import { matchHandoffPress, settleHandoffPress } from './presses/handoff-press.ts';
import { matchIncidentPress } from './presses/incident-press.ts';
import { isStopWord, matchLogStop } from './log-stop.ts';
import { checkVoicePress, settleVoicePress } from './voice/voice-press.ts';

export interface StoredPlan {
  readonly plan: AdmissionPlan;
  readonly admitted: AdmissionResult;
  /** Chats to wake besides the plan's own chat. */
  readonly chats: readonly string[];
  readonly stops: readonly string[];
  readonly peopleChanged: boolean;
  /** The toast for the presser; null shows the button's label instead. */
  readonly toast: string | null;
  /** Lanes of other people to wake. */
  readonly wakes: readonly WakeUp[];
}

export interface StoreDeps {
  readonly pool: Pool;
  readonly channel: Channel;
  readonly cipher: SecretSealer;
  readonly policy: () => PolicyEngine;
}

/** Above the rate limit, code attempts are answered once in this time. */
const LIMIT_NOTICE_MS = 10 * MINUTE_MS;

/** Stores a batch in one transaction. Idempotent. Plain messages need only two queries and no explicit transaction. */
export async function storePlans(deps: StoreDeps, plans: readonly AdmissionPlan[]): Promise<readonly StoredPlan[]> {
  const { pool } = deps;
  const people = new Set(plans.filter(canAnswerPrompt).map(({ envelope }) => envelope.userKey));
  const prompted = people.size === 0 ? people : await findPromptedUsers(pool, [...people]);
  if (prompted.size === 0 && plans.every(isPlainMessage))
    return pairResults(plans, await admitUpdates(pool, listAdmissions(plans)));
  return withTransaction(pool, async (db) => {
    const matched: AdmissionPlan[] = [];
    for (const plan of plans) {
      const isPrompted = prompted.has(plan.envelope.userKey);
      matched.push(
        await runInLanguage(plan.language, () => runSteps(MATCHES, plan, (step, one) => step(db, one, isPrompted))),
      );
    }
    const stored: StoredPlan[] = [];
    for (const one of pairResults(matched, await admitUpdates(db, listAdmissions(matched))))
      stored.push(
        await runInLanguage(one.plan.language, () => runSteps(SETTLES, one, (step, now) => step(db, deps, now))),
      );
    return stored;
  });
}

/** Run before admission to decide what a message is; each gets the plan that the one before it returned. */
const MATCHES: readonly ((db: Queryable, plan: AdmissionPlan, isPrompted: boolean) => Promise<AdmissionPlan>)[] = [
  matchCode,
  matchApprovalPress,
  matchIncidentPress,
  matchHandoffPress,
  matchPromptReply,
  matchLogStop,
  checkVoicePress,
];

/** Run after admission, in this order, to write what a message causes. */
const SETTLES: readonly ((db: Queryable, deps: StoreDeps, stored: StoredPlan) => Promise<StoredPlan>)[] = [
  storeSecrets,
  applyVoicePress,
  applyHandoffPress,
  answerStored,
];

async function runSteps<S, T>(steps: readonly S[], first: T, run: (step: S, value: T) => Promise<T>): Promise<T> {
  let value = first;
  for (const step of steps) value = await run(step, value);
  return value;
}

function isPlainMessage({ answer: asked, code, secrets, pressed, answers, envelope }: AdmissionPlan): boolean {
  return (
    !isStopWord(envelope.text) &&
    asked === null &&
    code === null &&
    pressed === null &&
    answers === null &&
    secrets.found.length === 0
  );
}

async function storeSecrets(db: Queryable, { cipher }: StoreDeps, stored: StoredPlan): Promise<StoredPlan> {
  if (!['accepted', 'merged', 'answered'].includes(stored.admitted.verdict)) return stored;
  const isSaid = await storeFoundSecrets(db, cipher, stored.plan);
  return isSaid ? { ...stored, chats: [...stored.chats, stored.plan.envelope.chatKey] } : stored;
}

async function applyVoicePress(db: Queryable, _deps: StoreDeps, stored: StoredPlan): Promise<StoredPlan> {
  const isSaid = await settleVoicePress(db, stored.plan, stored.admitted);
  return isSaid ? { ...stored, chats: [...stored.chats, stored.plan.envelope.chatKey] } : stored;
}

async function applyHandoffPress(db: Queryable, _deps: StoreDeps, stored: StoredPlan): Promise<StoredPlan> {
  const chatKey = await settleHandoffPress(db, stored.plan, stored.admitted);
  return chatKey === null ? stored : { ...stored, chats: [...stored.chats, chatKey] };
}

function listAdmissions(plans: readonly AdmissionPlan[]): readonly InboxUpdate[] {
  return plans.map(({ admission }) => admission);
}

function pairResults(plans: readonly AdmissionPlan[], admitted: readonly AdmissionResult[]): readonly StoredPlan[] {
  return plans.flatMap((plan, index) => {
    const one = admitted[index];
    return one ? [{ plan, admitted: one, chats: [], stops: [], peopleChanged: false, toast: null, wakes: [] }] : [];
  });
}

/** Tries a possible access code. A text that merely looks like a code stays a message when its author has a role. */
async function matchCode(db: Queryable, plan: AdmissionPlan): Promise<AdmissionPlan> {
  const { code } = plan;
  if (code === null) return plan;
  const { userKey, channel, name } = plan.envelope;
  const mayBeWords = !code.sure && (await findUser(db, userKey)) !== null;
  if (code.exposed) {
    const wasCode = await voidCode(db, code.text);
    return wasCode || !mayBeWords ? toCodePlan(plan, { kind: 'exposed-code' }, null) : plan;
  }
  const outcome = await redeemCode(db, code.text, { userKey, channel, name });
  if (mayBeWords && (outcome.kind === 'unknown' || outcome.kind === 'limited')) return plan;
  // Above the limit all code attempts share one answer per window.
  const answerKey =
    outcome.kind === 'limited' ? `${userKey}:${Math.floor(Date.now() / LIMIT_NOTICE_MS)}` : plan.envelope.id;
  return toCodePlan(plan, { kind: 'code', outcome }, { key: `code:${answerKey}`, text: describeCode(outcome, name) });
}

/** Sends a toast as a message where the channel has no toasts. */
function toastAsText({ answerPress }: Channel, given: GatewayAnswer): GatewayAnswer {
  return answerPress || given.text !== null || !given.toast ? given : { ...given, text: given.toast };
}

async function answerStored(
  db: Queryable,
  { channel, cipher, policy }: StoreDeps,
  stored: StoredPlan,
): Promise<StoredPlan> {
  const { plan, admitted } = stored;
  if (admitted.verdict !== 'answered' || plan.answer === null || admitted.id === null || !admitted.role) return stored;
  const { envelope } = plan;
  const asked = { inboxId: admitted.id, role: admitted.role, envelope, secret: plan.secrets.newValue };
  const given = toastAsText(channel, await answerQuestion({ db, channel, cipher, policy }, plan.answer, asked));
  const notices = given.notices ?? [];
  const languages = notices.length === 0 ? [] : await readLanguages(db, notices);
  const replyKey = `reply:${envelope.id}`;
  const noticeKey = (n: number): string => `notice:${envelope.id}:${n}`;
  if (given.text !== null)
    await putOutbox(db, [createControlMessage(envelope, replyKey, toAnswerBody(given, envelope))]);
  const below = (await given.putBelow?.()) ?? [];
  for (const [n, one] of notices.entries())
    await runInLanguage(languages[n], () => {
      const body = { text: one.text(), buttons: [], ...(one.prompt ? { asksReply: true } : {}) };
      return putOutbox(db, [createControlMessage(envelope, noticeKey(n), body, one)]);
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
