import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import { explainError, say } from '@signalbox/messages/say';
import { listChanges } from '@signalbox/safety/cards/resolved';
import { appendAudit } from '@signalbox/store/audit/audit';
import { withLock } from '@signalbox/store/deploy/locks';
import { beginAction, hasAction, recordRead, putAction } from '@signalbox/store/governance/actions';
import { findAction, type ApprovalDetails, type Proposal } from '@signalbox/store/governance/approvals';
import { readActionFacts, readGovernanceFacts } from '@signalbox/store/governance/governance-facts';
import { hasPressedOffer } from '@signalbox/store/pressed-offers';
import { withTransaction, type Queryable } from '@signalbox/store/pool';
import { requestApproval } from './approval-request.ts';
import { Approvals } from './approvals.ts';
import {
  createFailedResult,
  StoppedByPerson,
  type CallScope,
  type RunnableCall,
  type TextInView,
  type ToolCall,
  type ToolCallResult,
} from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { CallExecution, GovernanceDeps } from './deps.ts';
import { createDecidedEvents, createDeniedEvent, createRefusedEvent } from './events.ts';
import { bindOffers, hashOffer } from './offers.ts';
import {
  hashAction,
  decideAction,
  createReadFacts,
  buildActionIntent,
  createProposedAction,
  toRecordedDecision,
} from './proposal.ts';
import type { OwnWords } from '@signalbox/store/governance/governance-facts';
import { decideRisk, findTaint, type Taint } from './provenance/risk.ts';
import { taintThread, reportFailure } from './provenance/taint.ts';
import { rejectSecretInput } from './provenance/verbatim.ts';
import {
  findEarlierResult,
  createUnknownOutcome,
  recordOutcome,
  settleByProbe,
  settleIfDone,
  settleVoid,
} from './settling.ts';

/**
 * Runs a proposed call under governance. Failures are results for the model; only LANE_LOST, ACTION_ID_TAKEN and an abort of the turn
 * throw. A second call with the same action id returns the first result, without a second effect. ACTION_ID_TAKEN ends the turn: the id
 * belongs to another action, so this action has no effect and no result.
 */
export async function executeCall(deps: GovernanceDeps, scope: CallScope, call: ToolCall): Promise<ToolCallResult> {
  const read = deps.tools.read(call, scope.agent.id);
  const result =
    'refused' in read
      ? read.refused
      : await new ActionRun(deps, scope, read.runnable, { view: call.view ?? null }).propose();
  scope.enter('OBSERVING');
  return result;
}

interface CallOrigin {
  readonly view: TextInView | null;
  /** The action that an approver changed into this action. */
  readonly parentActionId: string | null;
}

type Decided = Proposal & { readonly grantId: string | null; readonly taint: Taint };

/**
 * One action, from its call to its outcome:
 *
 *   resolved ─▶ decided ─┬─ run ───────────▶ started ─▶ settled: done, failed or unknown
 *                        ├─ ask, confirm ──▶ an approval waits; `resume` of a later turn continues with the frozen action
 *                        └─ deny ──────────▶ denied
 *
 * - resolved: the current meaning of its arguments is known. A failed look-up goes to the model, without asking policy.
 * - decided: its risk was assessed and policy was asked. A change of the underlying facts repeats the decision.
 * - started: its intent is committed, with the events of the decision. From here on the effect may exist.
 * - settled: the ledger has its outcome, with an audit event, in one transaction.
 *
 * Everything before `started` can be repeated: a resumed turn calls with the same action id, finds the started action, and probes its
 * outcome instead of running it again. Safe reads settle nothing; they only record the taint of later arguments.
 */
export class ActionRun implements CallExecution {
  readonly deps: GovernanceDeps;
  readonly scope: CallScope;
  /** The call; its `resolved` is set once its arguments are resolved. */
  call: RunnableCall;
  readonly #origin: CallOrigin;

  constructor(deps: GovernanceDeps, scope: CallScope, call: RunnableCall, origin: Partial<CallOrigin> = {}) {
    this.deps = deps;
    this.scope = scope;
    this.call = call;
    this.#origin = { view: null, parentActionId: null, ...origin };
  }

  /** Runs a proposed call as far as policy allows. */
  async propose(): Promise<ToolCallResult> {
    const error = await this.#resolve();
    if (error) return reportFailure(this.deps.pool, this.scope.threadId, this.call, error);
    this.scope.enter('GOVERNING');
    const result = await this.#decideAndCarryOut();
    if (!result.next) return result;
    // The answer is keyed by the offering call, so that a resumed turn finds it again.
    const { actionId } = this.call;
    const next = await bindOffers(this.deps.tools, this.scope, result.next, (offered) =>
      this.deps.tools.resolve(this.scope, { ...offered, actionId }, null),
    );
    return { ...result, next };
  }

  /** Continues an approved action: decides again under current rules, consumes the approval exactly once, and runs the action. */
  async resume({ approval }: ApprovalDetails, proposal: Proposal): Promise<ToolCallResult> {
    const { scope, call, deps } = this;
    return this.#locked(async () => {
      const preview = await deps.tools.preview(call);
      const difference = await this.#findOtherMeaning();
      const { lane, chatKey, actor } = scope;
      const seen = { lane, chatKey, role: actor.role, leastRole: call.tool.role, proposal, preview, difference };
      const consumed = await withTransaction(deps.pool, (db) =>
        new Approvals(db).consume(approval.approvalId, {
          ...seen,
          decide: (locked) => this.#decideFrozen(locked, proposal),
        }),
      );
      const { kind, decided } = consumed;
      // A decision of an earlier run of the turn stays valid.
      if (kind !== 'void' || decided) scope.enter('GOVERNING');
      if (kind === 'void') return settleVoid(deps, approval, consumed.reason, decided);
      const earlier = kind === 'earlier' ? await findEarlierResult(this, consumed) : null;
      const result = earlier ?? (await this.#run(proposal));
      return { ...result, ...(decided ? { decided } : {}) };
    });
  }

  /** Resolves the arguments. Returns the obstacle to a decision, or null. */
  async #resolve(): Promise<AppError | null> {
    try {
      rejectSecretInput(this.call);
      this.call = { ...this.call, resolved: await this.deps.tools.resolve(this.scope, this.call, null) };
      return null;
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'LANE_LOST' || isTaken(error)) throw error;
      return error;
    }
  }

  /** The reason why an approved action now has another meaning; null when its arguments mean the same. */
  async #findOtherMeaning(): Promise<string | null> {
    const { tool, resolved = null } = this.call;
    if (!tool.resolve) return null;
    try {
      const now = await this.deps.tools.resolve(this.scope, this.call, resolved);
      const changes = listChanges(resolved ?? {}, now ?? {});
      return changes.length === 0 ? null : say('governance.meansOther', { changes: changes.join('; ') }).slice(0, 900);
    } catch (error) {
      if (error instanceof AppError) return explainError(error).replace(/\.$/, '');
      throw error;
    }
  }

  async #decideAndCarryOut(): Promise<ToolCallResult> {
    const proposal = await this.#decide();
    const result = await this.#carryOut(proposal).catch(async (thrown: unknown) => {
      // The id of the call or of its job belongs to another action, and continuing would mix up the two actions.
      if (isTaken(thrown)) await appendAudit(this.deps.pool, [createRefusedEvent(proposal, thrown)]);
      throw thrown;
    });
    // After a change in between, the last decision counts.
    return result.decided ? result : withDecision(result, proposal);
  }

  /** Assesses the action and asks policy with current facts. */
  async #decide(): Promise<Decided> {
    const { deps, scope, call } = this;
    const { tool, input, resolved = null } = call;
    const { view, parentActionId } = this.#origin;
    const isRead = tool.risk(input, resolved).risk === 'safe' && !tool.egress;
    const found = isRead ? null : await this.#findFacts();
    const age = scope.ageMs === undefined ? {} : { ageMs: scope.ageMs };
    const taint = await findTaint(call, { view, words: found?.words ?? UNREAD, ...age });
    const action = createProposedAction(scope, call, decideRisk(tool, input, taint, resolved), parentActionId);
    const known = found?.facts ?? createReadFacts(scope.now());
    // A grant covers one meaning of the arguments; the new meaning may differ.
    const facts = resolved === null ? known : { ...known, grantId: null };
    const decided = {
      ...decideAction(deps.policy(), action, { facts, limits: deps.limits, place: this.#place() }),
      taint,
    };
    if (decided.decision.effect !== 'confirm') return decided;
    const { lane, threadId, chatKey } = scope;
    const offer = hashOffer(action);
    const asked = { lane, threadId, chatKey, offer, action: { actionId: call.actionId, hash: hashAction(action) } };
    return (await hasPressedOffer(deps.pool, asked)) ? { ...decided, taint: { ...taint, pressed: offer } } : decided;
  }

  #findFacts(): ReturnType<typeof readActionFacts> {
    const { tool, input, name, resolved } = this.call;
    const { agent, chatKey, threadId, actor: requester } = this.scope;
    const place = {
      agent: agent.id,
      chatKey,
      environment: tool.environment(input),
      resources: [...tool.resources(input, resolved)],
      toolVersion: tool.version(),
    };
    const isLimited = Object.values(this.deps.limits).some((limit) => limit !== null);
    const needs = { use: isLimited, words: this.#origin.view !== null };
    return readActionFacts(this.deps.pool, { tool: name, arguments: input, requester, threadId, ...place }, needs);
  }

  /** Asks policy about a frozen action with current rules, role and facts; grants do not count. */
  async #decideFrozen(db: Queryable, { action, question }: Proposal): Promise<Proposal> {
    const { policy, limits } = this.deps;
    const facts = { ...(await readGovernanceFacts(db, action, null)), grantId: null };
    const place = { ...this.#place(), inGroup: question.context.inGroup };
    const asker = { ...action, requester: { ...action.requester, role: this.scope.actor.role } };
    return decideAction(policy(), asker, { facts, limits, place });
  }

  /** Asks policy about a started action, with the facts from before its start. Null when outside text influenced the action. */
  #decideStarted(now: Proposal, then: Proposal): Decided | null {
    if (then.action.assessment.tainted) return null;
    const { tool, input, resolved } = this.call;
    const taint = { foreign: null, hasPrivate: then.action.assessment.touchesPrivate };
    const assessment = decideRisk(tool, input, taint, resolved);
    const action = createProposedAction(this.scope, this.call, assessment, now.action.parentActionId);
    const { frozen, breakGlass } = now.question.context;
    const question = {
      ...now.question,
      action: { ...now.question.action, assessment },
      context: { ...then.question.context, frozen, breakGlass },
    };
    return { action, question, decision: this.deps.policy().decide(question), grantId: null, taint };
  }

  async #carryOut(proposal: Decided): Promise<ToolCallResult> {
    const { decision, action, taint } = proposal;
    const { effect, sentence, rule } = decision;
    const isPermitted = this.#isPermitted();
    if (effect !== 'run' || !isPermitted) {
      const earlier = await this.#findRunningWork(proposal);
      if (earlier) return earlier;
    }
    if (!isPermitted) return this.#deny(proposal, this.#notPermitted(this.scope.actor.role));
    if (effect === 'deny')
      return this.#deny(proposal, new AppError('POLICY_DENIED', { sentence: sentence.replace(/\.$/, ''), rule }));
    if (effect === 'ask' || (effect === 'confirm' && taint.pressed === undefined)) {
      await this.scope.flush();
      return requestApproval(this, proposal);
    }
    return action.assessment.risk === 'safe' ? this.#read(proposal) : this.#locked(() => this.#start(proposal));
  }

  /** Probes an action that an earlier run started; it continues only if policy still allows it. Null when not started. */
  async #findRunningWork(proposal: Proposal): Promise<ToolCallResult | null> {
    const { deps, scope, call } = this;
    if (!(await hasAction(deps.pool, scope.lane, buildActionIntent(this, proposal)))) return null;
    const known = await findAction(deps.pool, call.actionId);
    switch (known?.status) {
      case 'done':
      case 'failed':
      case 'unknown':
        return readStoredResult(known.result, call.name);
      case 'started': {
        const started = known.proposal && this.#decideStarted(proposal, known.proposal);
        if (started?.decision.effect === 'run' && this.#isPermitted())
          return withDecision(await this.#locked(() => this.#start(started)), started);
        return settleByProbe(this, { proposal, unknown: createUnknownOutcome(call) });
      }
      default:
        return null;
    }
  }

  async #deny(proposal: Proposal, error: AppError): Promise<ToolCallResult> {
    const { deps, scope } = this;
    await scope.flush(); // Saves the conversation first, so that a resumed turn makes the same calls
    await withTransaction(deps.pool, async (db) => {
      const isNew = await putAction(db, scope.lane, buildActionIntent(this, proposal), 'denied');
      if (isNew) await appendAudit(db, [createDeniedEvent(proposal, error.code)]);
    });
    return createFailedResult(error);
  }

  async #read(proposal: Proposal): Promise<ToolCallResult> {
    const { deps, scope, call } = this;
    scope.enter('EXECUTING');
    const ran = await deps.tools.run(scope, call, { isRead: true });
    const result = deps.redact(ran.result);
    // The taint is stored before the model sees the result: a crash in between loses the result but not the taint.
    if (result.untrusted) await taintThread(deps.pool, scope.threadId, call.name);
    const intent = buildActionIntent(this, proposal);
    // Records that the thread has read private data, and keeps what a model reads in parts.
    if ((intent.marks.length > 0 || result.isLong) && result.ok) {
      await scope.flush();
      await recordRead(deps.pool, scope.lane, intent, result);
    }
    return { ...result, changed: false };
  }

  /** Commits the intent and runs the action, unless an earlier run started it or its decision is outdated. */
  async #start(proposal: Decided): Promise<ToolCallResult> {
    const { deps, scope, call } = this;
    const intent = {
      ...buildActionIntent(this, proposal),
      roles: Role.options.filter((role) => coversRole(role, call.tool.role)),
      grantId: proposal.grantId,
      events: createDecidedEvents(proposal, proposal.taint.pressed ?? null),
    };
    const claim = await scope.flushWith(async (checkpoint) => {
      const begin = await beginAction(deps.pool, scope.lane, intent, checkpoint);
      if (begin.kind === 'lost') throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
      return begin;
    });
    // A freeze began, or the grant was used up, since the decision: decides again with current facts.
    if (claim.kind === 'stopped') return this.#decideAndCarryOut();
    if (claim.kind === 'denied') return createFailedResult(this.#notPermitted(claim.role));
    const earlier = claim.kind === 'earlier' ? await findEarlierResult(this, claim.action) : null;
    return earlier ?? this.#run(proposal);
  }

  /** Runs an action with a committed intent, and settles it. */
  async #run(proposal: Proposal): Promise<ToolCallResult> {
    const { deps, scope, call } = this;
    const unknownOf = (outcome: ToolCallResult) =>
      outcome.code === 'TOOL_TIMED_OUT' ? outcome : createUnknownOutcome(call);
    scope.enter('EXECUTING');
    try {
      let { result, isUncertain } = await deps.tools.run(scope, call);
      if (isUncertain) {
        // Usually Postgres was away. Running the action again is safe, because its action id is unchanged.
        const looked = await settleIfDone(this, { proposal, unknown: unknownOf(result) });
        if (looked !== null) return looked;
        ({ result, isUncertain } = await deps.tools.run(scope, call, { isAgain: true }));
      }
      const outcome = deps.redact(result);
      if (isUncertain) return await settleByProbe(this, { proposal, unknown: unknownOf(outcome) });
      await recordOutcome(deps.pool, call, proposal, { status: outcome.ok ? 'done' : 'failed', outcome });
      return outcome;
    } catch (thrown) {
      // After a /stop the reconciler probes and reports the outcome.
      if (thrown instanceof StoppedByPerson)
        await recordOutcome(deps.pool, call, proposal, { status: 'unknown', outcome: createUnknownOutcome(call) });
      if (isTaken(thrown))
        await recordOutcome(deps.pool, call, proposal, { status: 'failed', outcome: createFailedResult(thrown) });
      throw thrown;
    }
  }

  #locked(run: () => Promise<ToolCallResult>): Promise<ToolCallResult> {
    const lock = this.call.tool.lock(this.call.input);
    return lock === null ? run() : withLock(this.deps.lockPool, lock, run);
  }

  #place(): Parameters<typeof decideAction>[2]['place'] {
    const { chatKey, inGroup } = this.scope;
    return { channel: chatKey.split(':', 1)[0] ?? '', inGroup, leastRole: this.call.tool.role };
  }

  #isPermitted(): boolean {
    return coversRole(this.scope.actor.role, this.call.tool.role);
  }

  #notPermitted(role: Role | null): AppError {
    return new AppError('NOT_PERMITTED', { role: role ?? 'none', needed: this.call.tool.role });
  }
}

const UNREAD: OwnWords = { hasPrivate: false, typed: [], pressed: [], fresh: 0 };

function withDecision(
  result: ToolCallResult,
  proposal: Decided,
): { readonly decided: RecordedDecision } & ToolCallResult {
  return { ...result, decided: toRecordedDecision(proposal, proposal.taint) };
}

function isTaken(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'ACTION_ID_TAKEN';
}
