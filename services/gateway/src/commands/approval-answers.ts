import { toPlainName } from '@signalbox/contracts/plain-name';
import type { Approval, ApprovalCommand } from '@signalbox/contracts/governance/approval';
import { listChangeableValues } from '@signalbox/contracts/governance/plan';
import type { RuntimeButton } from '@signalbox/contracts/conversation/envelope';
import { Approvals, type PressResult, type Decider, type ButtonPress } from '@signalbox/governance/approvals';
import { createApprovalEvent } from '@signalbox/governance/events';
import { markPromptUsed, type OpenPrompt } from '../rows/approval-prompts.ts';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findAction, findApproval } from '@signalbox/store/governance/approvals';
import { say, sayError } from '@signalbox/messages/say';
import { renderCardTitle, escapePerson } from '@signalbox/safety/cards/approval-card';
import { escapeLine, escapeQuote } from '@signalbox/safety/cards/canonical-card';
import { renderApprovalScope } from './bound-view.ts';
import type { GatewayAnswer, AnswerDeps, QuestionContext, Notice } from './question.ts';

type ParsedChange =
  | { readonly ok: true; readonly change: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly why: string };

const OFFERED_REASONS = ['later', 'risky', 'target', 'needless'] as const;

/** Applies a press on an approval card. A press that needs a text asks for it first. */
export async function applyCardPress(
  deps: AnswerDeps,
  act: ApprovalCommand,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  const { verb } = act;
  if (verb === 'show') return answerShowBound(deps, act, asked);
  const decided = await new Approvals(deps.db).decide(deps.policy(), { ...act, verb, by: toDecider(asked) });
  return decided.prompt === null ? toAnswer(decided) : askForText(decided.prompt, asked);
}

function askForText(prompt: NonNullable<PressResult['prompt']>, { envelope }: QuestionContext): GatewayAnswer {
  const { verb, approval } = prompt;
  return {
    text: describePrompt(prompt, toPlainName(envelope.name)),
    toast: say(`governance.toast-${verb}`),
    buttons: verb === 'reject' ? createReasonButtons(approval) : [],
    prompt: { approvalId: approval.approvalId, verb, userKey: envelope.userKey, askedBy: null },
  };
}

/** Applies the reason, change, question or answer that a person wrote after being asked for it. */
export async function applyPromptReply(
  deps: AnswerDeps,
  prompt: OpenPrompt,
  text: string,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  const { db } = deps;
  const approval = await findApproval(db, prompt.approvalId);
  if (!approval) return { text: sayError('BUTTON_EXPIRED', {}) };
  const by = toDecider(asked);
  const { approvalId } = approval;
  const sentenceValues = () => toSentenceValues(approval, by, text);
  const decide = async (press: ButtonPress): Promise<GatewayAnswer> => {
    const decided = await new Approvals(db).decide(deps.policy(), press);
    await markPromptUsed(db, prompt.outboxKey);
    return { ...toAnswer(decided), text: decided.toast };
  };
  const passOnText = async (notice: Notice): Promise<GatewayAnswer> => {
    const kind = prompt.verb === 'ask' ? 'approval.asked' : 'approval.answered';
    await markPromptUsed(db, prompt.outboxKey);
    await appendAudit(db, [createApprovalEvent(approval, kind, by.userKey, { length: text.length })]);
    return { text: say('governance.passed-on'), notices: [notice] };
  };
  switch (prompt.verb) {
    case 'reject':
      return decide({ approvalId, verb: 'reject', reason: text.slice(0, 300), by });
    case 'modify': {
      const action = await findAction(db, approval.actionId);
      const read = parseArgChange(text, listChangeableValues(action?.proposal?.action.arguments ?? {}));
      return read.ok ? decide({ approvalId, verb: 'modify', change: read.change, by }) : { text: read.why };
    }
    case 'ask': {
      // Asks the requester, whose reply to that message answers the question.
      const { userKey, chatKey } = approval;
      const waiting = { approvalId, verb: 'answer', userKey, askedBy: asked.envelope.chatKey } as const;
      return passOnText({
        userKey,
        chatKey,
        text: () => say('governance.question', sentenceValues()),
        prompt: waiting,
      });
    }
    case 'answer': {
      const chatKey = prompt.askedBy ?? approval.chatKey;
      return passOnText({ userKey: null, chatKey, text: () => say('governance.answer', sentenceValues()) });
    }
  }
}

/** Shows everything that the approval covers, visible only to the person who pressed. */
async function answerShowBound(
  { db }: AnswerDeps,
  { approvalId, verb }: ApprovalCommand,
  asked: QuestionContext,
): Promise<GatewayAnswer> {
  const approval = await findApproval(db, approvalId);
  if (!approval) return { text: null, toast: sayError('BUTTON_EXPIRED', {}) };
  const text = await renderApprovalScope(db, approval, asked);
  if (text !== null) return { text, isExact: true, personal: true };
  const why = say('card.only-deciders-see');
  const data = { verb, why, refusedBy: 'deciders-see' };
  await appendAudit(db, [createApprovalEvent(approval, 'approval.click_refused', asked.envelope.userKey, data)]);
  return { text: null, toast: why };
}

function toAnswer({ toast, chats, wake }: PressResult): GatewayAnswer {
  return { text: null, toast, chats, wake };
}

function toDecider({ envelope, role }: QuestionContext): Decider {
  return { userKey: envelope.userKey, name: envelope.name, role };
}

function createReasonButtons({ approvalId }: Approval): readonly RuntimeButton[] {
  return OFFERED_REASONS.map((name) => {
    const reason = say(`governance.reason-${name}`);
    return { label: reason, value: reason, act: { approvalId, verb: 'reject', reason } };
  });
}

function describePrompt({ verb, approval, arguments: args }: NonNullable<PressResult['prompt']>, name: string): string {
  const { card, approvalId } = approval;
  const now = Object.entries(args).map(([key, value]) => `- ${escapeLine(key)}: ${escapeLine(shorten(value))}`);
  const title = renderCardTitle(card);
  return say(`governance.prompt-${verb}`, {
    name,
    title,
    approvalId,
    arguments: now.join('\n'),
    requester: escapePerson(card.requester),
  });
}

/** The longest question or answer to pass on, in UTF-16 units. */
const MAX_PASSED_LENGTH = 1_000;

function toSentenceValues({ card, approvalId }: Approval, by: Decider, text: string) {
  const said = text.length <= MAX_PASSED_LENGTH ? text : `${text.slice(0, MAX_PASSED_LENGTH)}…`;
  return { name: toPlainName(by.name), title: renderCardTitle(card), text: escapeQuote(said), approvalId };
}

/** Enough of a value to recognize it; the approval card has all of it. */
function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** Reads `version: 1.4.3` or `version = 1.4.3`, separated by lines or commas. Values get the type of the current ones. */
export function parseArgChange(text: string, current: Readonly<Record<string, unknown>>): ParsedChange {
  const names = Object.keys(current).join(', ');
  const known = names === '' ? say('governance.no-arguments') : say('governance.arguments', { names });
  const lines = text.split(/[\n;]|,\s*(?=\w+\s*[:=])/).map((line) => line.trim());
  const change: Record<string, unknown> = {};
  for (const line of lines.filter((one) => one !== '')) {
    const match = /^[-*\s]*`?(\w[\w.-]*)`?\s*[:=]\s*`?([\s\S]*?)`?$/.exec(line);
    const name = match?.[1];
    if (name === undefined || match?.[2] === undefined)
      return { ok: false, why: say('governance.unreadable-change', { line: line.slice(0, 80), known }) };
    if (!Object.hasOwn(current, name)) return { ok: false, why: say('governance.unknown-name', { name, known }) };
    const value = parseLike(current[name], match[2].trim());
    if (value === undefined)
      return { ok: false, why: say('governance.unfitting-value', { value: match[2].slice(0, 40), name }) };
    change[name] = value;
  }
  if (Object.keys(change).length === 0) return { ok: false, why: say('governance.no-change', { known }) };
  return { ok: true, change };
}

function parseLike(before: unknown, text: string): unknown {
  if (typeof before === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (typeof before === 'boolean') return { true: true, yes: true, false: false, no: false }[text.toLowerCase()];
  return text;
}
