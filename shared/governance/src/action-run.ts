import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { beginAction, hasAction, noteRead, putAction } from '@signalbox/store/governance/actions';
import { appendAudit } from '@signalbox/store/audit/audit';
import { findAction, type Proposal } from '@signalbox/store/governance/approvals';
import { actionFacts, type GovernanceFacts } from '@signalbox/store/governance/governance-facts';
import { findPressedOffer } from '@signalbox/store/pressed-offers';
import { withLock } from '@signalbox/store/deploy/locks';
import { withTransaction } from '@signalbox/store/pool';
import { taintThread, tellFailure } from './provenance/taint.ts';
import { AppError } from '@signalbox/contracts/errors';
import type { Resolved } from '@signalbox/safety/cards/resolved';
import {
  failure,
  StoppedByPerson,
  type CallScope,
  type Runnable,
  type ToolCall,
  type ToolCallResult,
} from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { Tool } from './calls/tool.ts';
import { requestApproval } from './approval-request.ts';
import { assess, lookForTaint, type Seen, type Taint } from './provenance/assessment.ts';
import { decidedEvents, deniedEvent, refusedEvent } from './events.ts';
import { bindOffers, offerHash } from './offers.ts';
import { intentOf, type GovernanceDeps, type Execution } from './deps.ts';
import { actionHash, decide, factsOfRead, propose, recordedDecision } from './proposal.ts';
import { earlierResult, outcomeUnknown, settle, settleByLooking, settleUnlessNotDone } from './settling.ts';
import { requireVerbatim } from './provenance/verbatim.ts';

/*
 * The one path of an action:
 *   find, validate ─▶ resolve ─▶ assess ─▶ decide ─┬─ run ─▶ intent row ─▶ handler ─▶ settle + audit
 *                                       ├─ ask, confirm ─▶ approval row and cards; the turn goes on without it
 *                                       └─ deny ▶ audit; the reason goes to the model
 * What stands before the intent row can be repeated: a resumed turn comes here again with the same action id.
 */

/**
 * Carries a proposed call through governance. What goes wrong comes back as a result for the model, never as a throw; only LANE_LOST
 * and an abort of the turn throw, and what is said below. Calling it again with the same action id returns what came of the first time, and has no second
 * effect. A throw of ACTION_ID_TAKEN ends the turn: the id stands for another action, so this one has no effect and no result.
 */
export async function executeCall(parts: GovernanceDeps, scope: CallScope, call: ToolCall): Promise<ToolCallResult> {
  const read = parts.tools.read(call, scope.agent.id);
  const result = 'refused' in read ? read.refused : await governAction(parts, scope, read.runnable, null);
  scope.enter('OBSERVING');
  return result;
}

/** From the look-up of what its arguments stand for on; `parentActionId`: the action that this one was changed from. */
export async function governAction(
  parts: GovernanceDeps,
  scope: CallScope,
  called: Runnable,
  parentActionId: string | null,
): Promise<ToolCallResult> {
  const resolved = await readMeaning({ parts, scope, call: called }).catch((error: unknown): AppError => {
    if (!(error instanceof AppError) || error.code === 'LANE_LOST' || isTaken(error)) throw error;
    return error;
  });
  if (resolved instanceof AppError) return tellFailure(parts.pool, scope.threadId, called, resolved);
  scope.enter('GOVERNING');
  return decideAbout({ parts, scope, call: { ...called, resolved } }, parentActionId);
}

/** Asks policy about a call whose meaning is known, and does what it says. */
async function decideAbout(execution: Execution, parentActionId: string | null): Promise<ToolCallResult> {
  const proposal = await weigh(execution, parentActionId);
  const carried = await carryOut(execution, proposal).catch((thrown: unknown) => refuseId(execution, proposal, thrown));
  const result = await withOffers(execution, carried);
  // Decided again on the way, when something changed meanwhile: what was decided last is what it went by.
  return result.decided ? result : { ...result, decided: recordedDecision(proposal, proposal.taint) };
}

/** What may be done next, each bound to what it stands for now. */
async function withOffers({ parts, scope, call }: Execution, result: ToolCallResult): Promise<ToolCallResult> {
  if (!result.next) return result;
  // Under the id of the call that offers it, so that a resumed turn finds the same answer.
  const next = await bindOffers(parts.tools, scope, result.next, (offered) =>
    parts.tools.resolve(scope, { ...offered, actionId: call.actionId }, null),
  );
  return { ...result, next };
}

/** What the arguments are and stand for. Throws what makes the call one that nobody could decide about. */
async function readMeaning({ parts, scope, call }: Execution): Promise<Resolved | null> {
  requireVerbatim(call);
  return parts.tools.resolve(scope, call, null);
}

/** The id of a call, or that of its job, stands for another one: whoever went on from here would mix them up. */
async function refuseId({ parts }: Execution, proposal: Proposal, thrown: unknown): Promise<never> {
  if (isTaken(thrown)) await appendAudit(parts.pool, [refusedEvent(proposal, thrown)]);
  throw thrown;
}

function isTaken(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'ACTION_ID_TAKEN';
}

async function carryOut(execution: Execution, proposal: Weighed): Promise<ToolCallResult> {
  const { scope, call } = execution;
  const { tool } = call;
  const { decision, action } = proposal;
  if (decision.effect !== 'run' || !roleCovers(scope.actor.role, tool.role)) {
    const begun = await whatHasBegun(execution, proposal);
    if (begun) return begun;
  }
  if (!roleCovers(scope.actor.role, tool.role) || decision.effect === 'deny') {
    const isRole = !roleCovers(scope.actor.role, tool.role);
    const error = isRole
      ? new AppError('NOT_PERMITTED', { role: scope.actor.role, needed: tool.role })
      : new AppError('POLICY_DENIED', { sentence: withoutStop(decision.sentence), rule: decision.rule });
    return deny(execution, proposal, error);
  }
  if (decision.effect === 'ask' || (decision.effect === 'confirm' && proposal.taint.pressed === undefined)) {
    await scope.flush();
    return requestApproval(execution, proposal);
  }
  return action.assessment.risk === 'safe' ? read(execution, proposal) : change(execution, proposal);
}

function change(execution: Execution, proposal: Weighed): Promise<ToolCallResult> {
  const { parts, call } = execution;
  const lock = call.tool.lock(call.input);
  const guarded = (): Promise<ToolCallResult> => throughLedger(execution, proposal);
  return lock === null ? guarded() : withLock(parts.lockPool, lock, guarded);
}

/**
 * Finds out what became of an action that an earlier run of the turn has started. The runtime asks nobody to approve it and refuses nothing,
 * because the effect may exist already. It looks the action up, and goes on only if policy still lets it run. Returns null for an action
 * that was not started.
 */
async function whatHasBegun(execution: Execution, proposal: Proposal): Promise<ToolCallResult | null> {
  const { parts, scope, call } = execution;
  if (!(await hasAction(parts.pool, scope.lane, intentOf(execution, proposal)))) return null;
  const known = await findAction(parts.pool, call.actionId);
  switch (known?.status) {
    case 'done':
    case 'failed':
    case 'unknown':
      return readStoredResult(known.result, call.name);
    case 'started': {
      const asBegun = known.proposal && weighAsBegun(execution, proposal, known.proposal);
      if (asBegun?.decision.effect === 'run' && roleCovers(scope.actor.role, call.tool.role))
        return { ...(await change(execution, asBegun)), decided: recordedDecision(asBegun, asBegun.taint) };
      return settleByLooking(execution, { proposal, unknown: outcomeUnknown(call) });
    }
    default:
      return null;
  }
}

/**
 * Asks policy again about an action that has begun, with the conversation, the grant and the budget of then: its own beginning has marked,
 * used up and counted something, and that is not held against it. Null when text from outside had a part in it then.
 */
function weighAsBegun({ parts, scope, call }: Execution, now: Proposal, begun: Proposal): Weighed | null {
  if (begun.action.assessment.tainted) return null;
  const taint = { source: null, foreign: null, hasPrivate: begun.action.assessment.touchesPrivate };
  const assessment = assess(call.tool, call.input, taint, call.resolved);
  const action = propose(scope, call, assessment, now.action.parentActionId);
  const { frozen, breakGlass } = now.question.context;
  const question = {
    ...now.question,
    action: { ...now.question.action, assessment },
    context: { ...begun.question.context, frozen, breakGlass },
  };
  return { action, question, decision: parts.policy().decide(question), grantId: null, taint };
}

type Weighed = Proposal & { readonly grantId: string | null; readonly taint: Taint };

/** Assesses an action and asks policy about it, with the facts as they are now. */
async function weigh({ parts, scope, call }: Execution, parentActionId: string | null): Promise<Weighed> {
  const { tool, input, resolved = null } = call;
  const isRead = tool.risk(input, resolved).risk === 'safe' && !tool.egress;
  const found = isRead ? null : await lookUp(parts, scope, call);
  const taint = lookForTaint(call, found?.taint ?? UNSEEN, scope.ageMs);
  const action = propose(scope, call, assess(tool, input, taint, resolved), parentActionId);
  const facts = withoutGrant(call, found?.facts ?? factsOfRead(scope.now()));
  const weighed = {
    ...decide(parts.policy(), action, { facts, limits: parts.limits, place: placeOf(scope, tool) }),
    taint,
  };
  if (weighed.decision.effect !== 'confirm') return weighed;
  const pressed = await findPressedOffer(parts.pool, {
    lane: scope.lane,
    threadId: scope.threadId,
    chatKey: scope.chatKey,
    offer: offerHash(action),
    action: { actionId: call.actionId, hash: actionHash(action) },
  });
  return pressed ? { ...weighed, taint: { ...taint, pressed: offerHash(action) } } : weighed;
}

/** What was granted for a while was one meaning of the arguments; the next one may be another. */
function withoutGrant({ resolved = null }: Runnable, facts: GovernanceFacts): GovernanceFacts {
  return resolved === null ? facts : { ...facts, grantId: null };
}

/** Where an action was asked for, as far as policy looks at it. */
export function placeOf(scope: CallScope, tool: Tool): Parameters<typeof decide>[2]['place'] {
  return { channel: scope.chatKey.split(':', 1)[0] ?? '', inGroup: scope.inGroup, leastRole: tool.role };
}

const UNSEEN: Seen = { untrusted: [], hasPrivate: false, isTainted: false, typed: [], pressed: [], said: [] };

function lookUp({ pool, limits }: GovernanceDeps, scope: CallScope, call: Runnable): ReturnType<typeof actionFacts> {
  const isLimited = Object.values(limits).some((limit) => limit !== null);
  const { name: tool, input } = call;
  const place = {
    agent: scope.agent.id,
    chatKey: scope.chatKey,
    environment: call.tool.environment(input),
    resources: [...call.tool.resources(input, call.resolved)],
    toolVersion: call.tool.version(),
  };
  const { actor: requester, threadId } = scope;
  return actionFacts(pool, { tool, arguments: input, requester, threadId, ...place }, isLimited);
}

async function deny(execution: Execution, proposal: Proposal, error: AppError): Promise<ToolCallResult> {
  const { parts, scope } = execution;
  await scope.flush(); // as before an effect: what is written of a call must be of the one that the turn goes on with
  await withTransaction(parts.pool, async (db) => {
    const isNew = await putAction(db, scope.lane, intentOf(execution, proposal), 'denied');
    if (isNew) await appendAudit(db, [deniedEvent(proposal, error.code)]);
  });
  return failure(error);
}

async function read(execution: Execution, proposal: Proposal): Promise<ToolCallResult> {
  const { parts, scope, call } = execution;
  scope.enter('EXECUTING');
  const ran = await parts.tools.run(scope, call, { isRead: true });
  const result = parts.redact(ran.result);
  // Noted before anybody sees what was read: a crash in between loses the reading and not the note.
  if (result.untrusted) await taintThread(parts.pool, scope.threadId, call.name);
  const intent = intentOf(execution, proposal);
  // What taints later arguments is remembered by the thread, wherever it goes on.
  if (intent.marks.length > 0 && result.ok) {
    await scope.flush();
    await noteRead(parts.pool, scope.lane, intent, result);
  }
  return { ...result, changed: false };
}

async function throughLedger(execution: Execution, proposal: Weighed): Promise<ToolCallResult> {
  const { parts, scope, call } = execution;
  const { tool } = call;
  const intent = {
    ...intentOf(execution, proposal),
    roles: Role.options.filter((role) => roleCovers(role, tool.role)),
    grantId: proposal.grantId,
    events: decidedEvents(proposal, proposal.taint.pressed ?? null),
  };
  const begun = await scope.flushWith(async (checkpoint) => {
    const begin = await beginAction(parts.pool, scope.lane, intent, checkpoint);
    if (begin.kind === 'lost') throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
    return begin;
  });
  switch (begun.kind) {
    case 'denied':
      return failure(new AppError('NOT_PERMITTED', { role: begun.role ?? 'none', needed: tool.role }));
    case 'stopped':
      // Frozen, lifted or used up between the decision and the claim: decided again, with the facts as they are now.
      return decideAbout(execution, proposal.action.parentActionId);
    case 'earlier': {
      const earlier = await earlierResult(execution, begun.action);
      if (earlier) return earlier;
      break;
    }
    case 'claimed':
  }
  return runClaimed(execution, proposal);
}

/** Runs an action whose intent is committed, and settles it. */
export async function runClaimed(execution: Execution, proposal: Proposal): Promise<ToolCallResult> {
  const { parts, scope, call } = execution;
  scope.enter('EXECUTING');
  try {
    let { result, isUncertain } = await parts.tools.run(scope, call);
    if (isUncertain) {
      // Most often Postgres was away. What has not happened is done now: it is the same action, so it cannot happen twice.
      const looked = await settleUnlessNotDone(execution, { proposal, unknown: unknownOf(call, result) });
      if (looked !== null) return looked;
      ({ result, isUncertain } = await parts.tools.run(scope, call, { isAgain: true }));
    }
    const outcome = parts.redact(result);
    if (isUncertain) return await settleByLooking(execution, { proposal, unknown: unknownOf(call, outcome) });
    await settle(parts.pool, call, proposal, { status: outcome.ok ? 'done' : 'failed', outcome });
    return outcome;
  } catch (thrown) {
    // After a /stop nobody goes on with this turn: what came of it is looked up, and told, by the reconciler.
    if (thrown instanceof StoppedByPerson)
      await settle(parts.pool, call, proposal, { status: 'unknown', outcome: outcomeUnknown(call) });
    if (isTaken(thrown)) await settle(parts.pool, call, proposal, { status: 'failed', outcome: failure(thrown) });
    throw thrown;
  }
}

function unknownOf(call: Runnable, outcome: ToolCallResult): ToolCallResult {
  return outcome.code === 'TOOL_TIMED_OUT' ? outcome : outcomeUnknown(call);
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
