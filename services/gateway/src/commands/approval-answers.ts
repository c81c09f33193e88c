import { plainName } from '@signalbox/contracts/plain-name';
import type { Approval, ApprovalAct } from '@signalbox/contracts/governance/approval';
import type { RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { decideApproval, type Decided, type Decider, type Press } from '@signalbox/store/governance/approval-decisions';
import { usePrompt, type OpenPrompt } from '../admission/approval-prompts.ts';
import { approvalEvent, findApproval, findProposal, recordApproval } from '@signalbox/store/governance/approvals';
import { say, sayError } from '@signalbox/messages/say';
import { cardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import { escapeLine, escapeQuote } from '@signalbox/safety/cards/canonical-card';
import { showBound } from './bound-view.ts';
import { readChange } from './change.ts';
import type { Answer, AnswerParts, Asked, Notice } from './question.ts';

/** Reasons that one tap gives; all else is written. */
const REASONS = ['later', 'risky', 'target', 'needless'] as const;

/** Carries out a press on a card. What cannot be decided by a press alone asks for words first. */
export async function answerPress(parts: AnswerParts, act: ApprovalAct, asked: Asked): Promise<Answer> {
  const { verb } = act;
  if (verb === 'show') return answerShow(parts, act, asked);
  const decided = await decideApproval(parts.db, parts.policy(), { ...act, verb, by: deciderOf(asked) });
  if (decided.prompt === null) return afterDecision(decided);
  const approval = await findApproval(parts.db, act.approvalId);
  if (!approval) return { text: null, toast: sayError('BUTTON_EXPIRED', {}) };
  const proposal = decided.prompt === 'modify' ? await findProposal(parts.db, approval.actionId) : null;
  return {
    text: describePrompt(decided.prompt, approval, plainName(asked.envelope.name), proposal?.action.arguments ?? {}),
    toast: say(`governance.toast-${decided.prompt}`),
    buttons: decided.prompt === 'reject' ? reasons(approval) : [],
    prompt: { approvalId: act.approvalId, verb: decided.prompt, userKey: asked.envelope.userKey, askedBy: null },
  };
}

/** Takes what a person wrote as the reason, the change, the question or the answer that they were asked for. */
export async function answerPrompt(
  parts: AnswerParts,
  prompt: OpenPrompt,
  text: string,
  asked: Asked,
): Promise<Answer> {
  const { db } = parts;
  const approval = await findApproval(db, prompt.approvalId);
  if (!approval) return { text: sayError('BUTTON_EXPIRED', {}) };
  const by = deciderOf(asked);
  const { approvalId } = approval;
  const words = () => describeWords(approval, by, text);
  const decide = async (press: Press): Promise<Answer> => {
    const decided = await decideApproval(db, parts.policy(), press);
    await usePrompt(db, prompt.outboxKey);
    return { ...afterDecision(decided), text: decided.toast };
  };
  const passOn = async (notice: Notice): Promise<Answer> => {
    const kind = prompt.verb === 'ask' ? 'approval.asked' : 'approval.answered';
    await usePrompt(db, prompt.outboxKey);
    await recordApproval(db, approvalEvent(approval, kind, by.userKey, { length: text.length }));
    return { text: say('governance.passed-on'), notices: [notice] };
  };
  switch (prompt.verb) {
    case 'reject':
      return decide({ approvalId, verb: 'reject', reason: text.slice(0, 300), by });
    case 'modify': {
      const proposal = await findProposal(db, approval.actionId);
      const read = readChange(text, proposal?.action.arguments ?? {});
      return read.ok ? decide({ approvalId, verb: 'modify', change: read.change, by }) : { text: read.why };
    }
    case 'ask': {
      // The question waits with the requester of the action for an answer to that message.
      const { userKey, chatKey } = approval;
      const waiting = { approvalId, verb: 'answer', userKey, askedBy: asked.envelope.chatKey } as const;
      return passOn({ userKey, chatKey, text: () => say('governance.question', words()), prompt: waiting });
    }
    case 'answer': {
      const chatKey = prompt.askedBy ?? approval.chatKey;
      return passOn({ userKey: null, chatKey, text: () => say('governance.answer', words()) });
    }
  }
}

/** Shows all that is bound, below the card and to whoever pressed alone. */
async function answerShow({ db }: AnswerParts, { approvalId, verb }: ApprovalAct, asked: Asked): Promise<Answer> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return { text: null, toast: sayError('BUTTON_EXPIRED', {}) };
  const text = await showBound(db, approval, asked);
  if (text !== null) return { text, isExact: true, personal: true };
  const why = say('card.only-deciders-see');
  const data = { verb, why, refusedBy: 'deciders-see' };
  await recordApproval(db, approvalEvent(approval, 'approval.click_refused', asked.envelope.userKey, data));
  return { text: null, toast: why };
}

function afterDecision({ toast, chats, wake }: Decided): Answer {
  return { text: null, toast, chats, wake };
}

function deciderOf({ envelope, role }: Asked): Decider {
  return { userKey: envelope.userKey, name: envelope.name, role };
}

function reasons({ approvalId }: Approval): readonly RuntimeButton[] {
  return REASONS.map((name) => {
    const reason = say(`governance.reason-${name}`);
    return { label: reason, value: reason, act: { approvalId, verb: 'reject', reason } };
  });
}

/** Asks a person for the words that their press needs. */
function describePrompt(
  verb: 'reject' | 'modify' | 'ask',
  { card, approvalId }: Approval,
  name: string,
  args: Readonly<Record<string, unknown>>,
): string {
  const now = Object.entries(args).map(([key, value]) => `- ${escapeLine(key)}: ${escapeLine(shorten(value))}`);
  const title = cardTitle(card);
  return say(`governance.prompt-${verb}`, {
    name,
    title,
    approvalId,
    arguments: now.join('\n'),
    requester: escapePerson(card.requester),
  });
}

/** A question or an answer is short; what is longer ends with a mark. In UTF-16 units. */
const PASSED_ON = 1_000;

/** What a person wrote about a request, as the values of the sentence that passes it on. */
function describeWords({ card, approvalId }: Approval, by: Decider, text: string) {
  const said = text.length <= PASSED_ON ? text : `${text.slice(0, PASSED_ON)}…`;
  return { name: plainName(by.name), title: cardTitle(card), text: escapeQuote(said), approvalId };
}

/** Enough to know a value by; the card has all of it. */
function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
