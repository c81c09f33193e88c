import type { Approval, ApprovalCard, CardTexts } from '@signalbox/contracts/governance/approval';
import { coversRole } from '@signalbox/contracts/governance/roles';
import { describePerson, renderCardTitle } from '@signalbox/safety/cards/approval-card';
import { newId } from '@signalbox/contracts/ids';
import { MAX_ACTION_LENGTH, renderExactAction } from '@signalbox/safety/cards/canonical-card';
import { redactText } from '@signalbox/safety/redact/redact';
import { hasAction, putAction } from '@signalbox/store/governance/actions';
import {
  listApproverChats,
  findApprovalOf,
  findSameRequest,
  insertApproval,
  type Approver,
  type Proposal,
  listApprovers,
  listVotes,
} from '@signalbox/store/governance/approvals';
import { putCards } from '@signalbox/store/governance/approval-cards';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findPersons } from '@signalbox/store/people/identities';
import { isLaneHeld } from '@signalbox/store/conversation/lane';
import { findTypedText } from '@signalbox/store/conversation/own-words';
import { putArtifacts } from '@signalbox/store/artifacts';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { isShortName } from '@signalbox/contracts/governance/outside';
import { AppError } from '@signalbox/contracts/errors';
import { toPlainName } from '@signalbox/contracts/plain-name';
import { sayAgo } from '@signalbox/messages/duration';
import { getCurrentLanguage, LANGUAGES, runInLanguage } from '@signalbox/messages/language';
import { sayList } from '@signalbox/messages/list';
import { say, sayError, sayReason, sayAgain } from '@signalbox/messages/say';
import type { WaitingResult } from '@signalbox/contracts/governance/waiting';
import { createFailedResult, type ToolCallResult } from './calls/call.ts';
import { getActionTitle } from './receipts.ts';
import { reportFailure } from './provenance/taint.ts';
import type { CallScope, RunnableCall } from './calls/call.ts';
import type { ActionPreview } from './calls/tool.ts';
import { listPlanValues, describeCall } from './plans/preview-plan.ts';
import { createApprovalEvent, createDeniedEvent, createProposalEvent } from './events.ts';
import type { CallExecution, GovernanceDeps } from './deps.ts';
import { hashAction, buildActionIntent } from './proposal.ts';

/** Freezes an action until a person decides; the turn continues without the action. One transaction, idempotent per action. */
export async function requestApproval(execution: CallExecution, proposal: Proposal): Promise<ToolCallResult> {
  const { deps, scope, call } = execution;
  const takes = proposal.decision.approval;
  if (!takes) throw new Error(`rule ${proposal.decision.rule} asks without saying what it takes`);
  const { action, decision } = proposal;
  const shown = await describeCall(deps, call);
  if (shown instanceof AppError) return reportFailure(deps.pool, scope.threadId, call, shown);
  // A requester who confirms an action knows their own words, so the card does not quote them.
  const words = decision.effect === 'confirm' ? null : await findWords(execution, shown);
  const texts = await describeInAllLanguages(deps, call, proposal);
  const card = describe(scope, call, proposal, { preview: shown, words, texts });
  const unshowable = findUnshowable(card.exact ?? '');
  if (unshowable) {
    const error = new AppError('APPROVAL_UNSHOWABLE', { problem: unshowable });
    return reportFailure(deps.pool, scope.threadId, call, error);
  }
  const authors = await authorsOf(deps, scope, action.parentActionId, shown?.words?.userKey);
  const approval: Approval = {
    approvalId: newId('apv'),
    actionId: call.actionId,
    userKey: scope.lane.userKey,
    chatKey: scope.chatKey,
    threadId: scope.threadId,
    turnId: scope.turnId,
    traceId: scope.traceId,
    hash: hashAction(action),
    rule: decision.rule,
    policy: decision.policyVersion,
    needed: takes.approvals,
    role: takes.role,
    byRequester: decision.effect === 'confirm',
    solo: takes.solo && coversRole(scope.actor.role, takes.role),
    authors,
    card,
    status: 'pending',
    requestedAt: scope.now(),
    expiresAt: new Date(scope.now().getTime() + takes.expiresMs),
    decidedBy: null,
    reason: null,
    change: null,
  };
  const chats: string[] = [];
  const outcome = await withTransaction(deps.pool, async (db) => {
    if (!(await isLaneHeld(db, scope.lane))) throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
    const intent = buildActionIntent(execution, proposal);
    const known = (await hasAction(db, scope.lane, intent)) ? await findApprovalOf(db, call.actionId) : null;
    if (known) return waiting(db, known);
    // A repeated request, such as "ship it" below an approval card, counts as the same request.
    const same = await findSameRequest(db, approval);
    if (same) return waiting(db, same);
    const readers = approval.byRequester ? [] : await listApproverChats(db, takes.role, authors);
    // If nobody else can decide, the requester decides alone, after a pause.
    const alone = readers.length === 0;
    if (alone && !approval.byRequester && !(takes.solo && coversRole(scope.actor.role, takes.role))) {
      const problem = whyNobodyApproves(takes.role, await listApprovers(db, approval));
      const error = new AppError('NEEDS_APPROVAL', { action: renderCardTitle(card), problem });
      if (await putAction(db, scope.lane, intent, 'denied'))
        await appendAudit(db, [createDeniedEvent(proposal, error.code)]);
      return createFailedResult(error);
    }
    await putAction(db, scope.lane, intent, 'waiting');
    const attached = { ...approval, card: { ...card, ...(await keepFiles(db, execution, shown)) } };
    await insertApproval(db, { ...attached, expiresMs: takes.expiresMs });
    // Requesters get an approval card in the requesting chat, deciders in the chat where they decide.
    chats.push(...new Set([scope.chatKey, ...readers.map((reader) => reader.chatKey)]));
    await putCards(db, attached, [], chats);
    await appendAudit(db, [
      createProposalEvent(proposal, 'action.proposed'),
      createApprovalEvent(approval, 'approval.requested', approval.userKey, {
        effect: decision.effect,
        needed: takes.approvals,
        role: takes.role,
        expiresMs: takes.expiresMs,
        what: approval.card.what,
        authors: [...authors],
      }),
    ]);
    return waiting(db, approval);
  });
  for (const chatKey of chats) await deps.notify(chatKey, scope.traceId, true);
  return outcome;
}

/** Stores the files of a card, which all of its readers get. */
async function keepFiles(
  db: Queryable,
  { scope, call }: CallExecution,
  preview: ActionPreview | null,
): Promise<Pick<ApprovalCard, 'files'>> {
  if (!preview?.files || preview.files.length === 0) return {};
  const { turnId, threadId, lane } = scope;
  const kept = await putArtifacts(db, lane, { actionId: call.actionId, turnId, threadId }, preview.files);
  if (kept.kind === 'lost') throw new AppError('LANE_LOST', { userKey: lane.userKey });
  return kept.kind === 'stored' ? { files: [...kept.files] } : {};
}

function whyNobodyApproves(role: string, all: readonly Approver[]): string {
  const unreached = all.slice(0, MAX_NAMES).flatMap(({ name }) => (isShortName(name) ? [name] : []));
  return unreached.length === 0
    ? say('governance.noOtherApprover', { role })
    : say('governance.approversUnreached', { people: sayList(unreached.map(toPlainName)), count: unreached.length });
}

/** The words with which the requester asked for this: where the preview has older ones of theirs, those. */
async function findWords({ deps, scope }: CallExecution, preview: ActionPreview | null): Promise<string | null> {
  const { words } = preview ?? {};
  if (words?.userKey === scope.lane.userKey) return words.text;
  return findTypedText(deps.pool, scope.lane, scope.chatKey);
}

/** What people have to do who see no card; /approvals shows them what waits. */
const WRITE_ONCE = 'they have to write /approvals to the bot in private once';

/** Says what the call waits for. Names of people who could be told what to do by their names are left out. */
async function waiting(db: Queryable, approval: Approval): Promise<ToolCallResult> {
  const { approvalId, byRequester, expiresAt, card } = approval;
  const votes = byRequester ? [] : await listVotes(db, approvalId);
  const approvers = byRequester ? [] : await listApprovers(db, approval);
  const hidden = approvers.filter(({ isShown }) => isShown === false);
  const unreached = nameThem(hidden);
  const isStuck = approvers.length - hidden.length + votes.length < approval.needed;
  const result: WaitingResult = {
    status: 'waits',
    for: byRequester
      ? 'the confirmation of the person, by the button on the card'
      : describeDeciders(approval, approvers),
    ...(unreached === ''
      ? {}
      : { not_reached: `${unreached}: ${isStuck ? 'it cannot pass without them; ' : ''}${WRITE_ONCE}` }),
    so_far: votes.length,
    why: card.why,
    until: expiresAt.toISOString(),
    request: approvalId,
    changed: false,
    next: NEXT,
  };
  const said = byRequester
    ? sayError('WAITING_FOR_CONFIRMATION', { id: approvalId })
    : sayError('WAITING_FOR_APPROVAL', { id: approvalId, asked: sayAsked(approvers) });
  return { ok: true, result, say: said, code: null, changed: false };
}

/** Says to the requester who was asked: the people who are shown the card. */
function sayAsked(approvers: readonly Approver[]): string {
  const names = approvers.flatMap(({ name, isShown }) => (isShown === true && isShortName(name) ? [name] : []));
  if (names.length === 0) return say('governance.asked');
  return say('governance.askedPeople', { people: sayList(names.slice(0, MAX_NAMES).map(toPlainName)) });
}

/** Says to a model who decides: only people who are shown the card. */
function describeDeciders({ needed, role, solo }: Approval, approvers: readonly Approver[]): string {
  const reached = approvers.filter(({ isShown }) => isShown === true);
  if (reached.length > 0) return `${needed} of: ${nameThem(reached)} (role ${role} or above)`;
  if (solo && approvers.every(({ isShown }) => isShown === false))
    return 'the person alone, by the button on the card: nobody else who may approve is reached';
  return `${needed} of the role ${role} or above`;
}

/** Names people, without names that could tell somebody what to do, or too many. */
function nameThem(people: readonly Approver[]): string {
  const names = people.flatMap(({ name }) => (isShortName(name) ? [name] : [])).slice(0, MAX_NAMES);
  const others = people.length - names.length;
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

const MAX_NAMES = 5;

const NEXT =
  'Nothing has changed. Tell the person in one sentence what waits and for whom, and end the turn; the runtime tells them of the decision and what came of it. You are called if it fails, or if your task goes on after it and you end the turn with respond_to_user(goes_on=true). Do not propose this again.';

/** Lists the people who requested or changed the action, or whose words it carries out; none of them may approve it. */
async function authorsOf(
  deps: GovernanceDeps,
  scope: CallScope,
  parentActionId: string | null,
  wordsOf: string | undefined,
): Promise<readonly string[]> {
  const parent = parentActionId === null ? null : await findApprovalOf(deps.pool, parentActionId);
  const changedBy = parent?.decidedBy ? [parent.decidedBy] : [];
  const asked = wordsOf === undefined ? [] : [wordsOf];
  const askers = scope.askers ?? [];
  return findPersons(deps.pool, [scope.lane.userKey, ...askers, ...asked, ...(parent?.authors ?? []), ...changedBy]);
}

/** Builds the text for approvers; the arguments are shown when the tool has no preview. */
function describe(
  scope: CallScope,
  call: RunnableCall,
  proposal: Proposal,
  {
    preview,
    words,
    texts,
  }: {
    readonly preview: ActionPreview | null;
    readonly words: string | null;
    readonly texts: Readonly<Record<string, CardTexts>>;
  },
): ApprovalCard {
  const { action } = proposal;
  return {
    ...writeTexts(call, proposal, preview),
    language: getCurrentLanguage(),
    texts,
    ...(action.resolved ? { resolved: action.resolved } : {}),
    exact: renderExactAction(action),
    essential: [...listPlanValues(call, proposal)],
    ...(words === null ? {} : { words: redactText(words) }),
    ...(preview?.rows === undefined ? {} : { rows: preview.rows }),
    ...(preview?.isFixed ? { isFixed: true as const } : {}),
    requester: describePerson(scope.actor),
    changedFrom: action.parentActionId,
  };
}

/** Writes the sentences of a card in every language: a card has several readers, and a reader may change their language. */
async function describeInAllLanguages(
  deps: GovernanceDeps,
  call: RunnableCall,
  proposal: Proposal,
): Promise<Readonly<Record<string, CardTexts>>> {
  const texts: Record<string, CardTexts> = {};
  for (const language of LANGUAGES)
    await runInLanguage(language, async () => {
      const preview = await describeCall(deps, call);
      if (!(preview instanceof AppError)) texts[language] = writeTexts(call, proposal, preview);
    });
  return texts;
}

/** Writes the sentences of a card in the current language. */
function writeTexts(call: RunnableCall, { action, decision }: Proposal, preview: ActionPreview | null): CardTexts {
  const { reasons, ageMs } = action.assessment;
  const isOwn = decision.effect === 'confirm';
  const old = ageMs === undefined ? [] : [say('governance.writtenAgo', { isOwn, ago: sayAgo(ageMs) })];
  const own = translateRisks(call);
  const told = reasons.map((said) => {
    const reason = own.get(said) ?? said;
    return asSentence(sayAgain(reason) ?? reason);
  });
  const risk = [...told, ...old].join(' ');
  return {
    what: preview?.what ?? getActionTitle(call.tool, action),
    change: preview?.change ?? '',
    ...(preview?.steps ? { steps: [...preview.steps] } : {}),
    reach: preview?.reach ?? (action.resources.join(', ') || action.environment),
    undo: preview?.undo ?? say('governance.undoUnknown', { isOwn }),
    ...(risk === '' ? {} : { risk }),
    why: say('governance.why', { sentence: sayReason(decision.sentence), rule: decision.rule }),
  };
}

/** Maps what the tools of a call say of its risk, in any language, to the current one: they say it in the requester's. */
function translateRisks(call: RunnableCall): ReadonlyMap<string, string> {
  const calls = [call, ...(call.steps ?? []).map((step) => step.call)];
  const list = (): readonly string[] =>
    calls.flatMap(({ tool, input, resolved }) => tool.risk(input, resolved ?? null).reasons);
  const own = list();
  return new Map(
    LANGUAGES.flatMap((language) => runInLanguage(language, list).map((said, place) => [said, own[place] ?? said])),
  );
}

/** Explains why an approval card cannot show the whole action; null when it can. */
function findUnshowable(exact: string): string | null {
  if (exact.length > MAX_ACTION_LENGTH)
    return say('governance.tooLong', { length: exact.length, limit: MAX_ACTION_LENGTH });
  return redactText(exact) === exact ? null : say('governance.holdsSecret');
}

/** Leaves a complete sentence unchanged: it may begin with a program's name. */
function asSentence(text: string): string {
  return /[.。]$/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
