import { Button } from '@signalbox/contracts/conversation/envelope';
import type { RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { AppError } from '@signalbox/contracts/errors';
import { appendAudit } from '@signalbox/store/audit/audit';
import { withLock } from '@signalbox/store/deploy/locks';
import { beginAction, hasAction, recordRead, putAction } from '@signalbox/store/governance/actions';
import { findAction, type ApprovalDetails, type Proposal } from '@signalbox/store/governance/approvals';
import { withTransaction } from '@signalbox/store/pool';
import { requestApproval } from './approval-request.ts';
import { Approvals } from './approvals.ts';
import {
  createFailedResult,
  StoppedByPerson,
  type CallScope,
  type RunnableCall,
  type ToolCall,
  type ToolCallResult,
} from './calls/call.ts';
import { readStoredResult } from './calls/stored-result.ts';
import type { CallExecution, GovernanceDeps } from './deps.ts';
import { decideCall, decideFrozen, decideStarted, type CallOrigin, type Decided } from './deciding.ts';
import { createDecidedEvents, createDeniedEvent, createRefusedEvent } from './events.ts';
import { decideGroups } from './loading.ts';
import { bindOffers } from './offers.ts';
import { describeCall } from './plans/preview-plan.ts';
import { readSteps, type PlanAuthor } from './plans/read-steps.ts';
import { findOtherMeaning, resolveArguments } from './plans/resolve-steps.ts';
import { startPlan, type StepRunner, type StepSurprise } from './plans/run-plan.ts';
import { buildActionIntent, toRecordedDecision } from './proposal.ts';
import { taintThread, reportFailure } from './provenance/taint.ts';
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
  const agent = scope.agent.id;
  const found = deps.tools.read(call, agent);
  const author = (): PlanAuthor => findAuthor(deps, scope, call.groups);
  const read = 'refused' in found ? found : readSteps(deps.tools, found.runnable, author);
  const result =
    'refused' in read
      ? read.refused
      : await new ActionRun(deps, scope, read.runnable, { view: call.view ?? null }).propose();
  scope.enter('OBSERVING');
  return result;
}

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
      const preview = await describeCall(deps, call);
      const difference = await findOtherMeaning(this);
      const { lane, chatKey, actor } = scope;
      const seen = { lane, chatKey, role: actor.role, leastRole: call.tool.role, proposal, preview, difference };
      const consumed = await withTransaction(deps.pool, (db) =>
        new Approvals(db).consume(approval.approvalId, {
          ...seen,
          decide: (locked) => decideFrozen(this, locked, proposal),
        }),
      );
      const { kind, decided } = consumed;
      // A decision of an earlier run of the turn stays valid.
      if (kind !== 'void' || decided) scope.enter('GOVERNING');
      if (kind === 'void') {
        const voided = await settleVoid(deps, approval, consumed.reason, decided);
        return difference === null ? voided : { ...voided, next: offerAgain(call) };
      }
      const earlier = kind === 'earlier' ? await this.#findEarlier(consumed) : null;
      const result = earlier ?? (await this.#run(proposal));
      return { ...result, ...(decided ? { decided } : {}) };
    });
  }

  /**
   * Runs a step of a plan that was decided about, once: `findSurprise` is asked before its start, under its lock, and gives the decision
   * under current rules, or why the step may not run. A step that an earlier run started gets its result.
   */
  async runStep(
    frozen: Proposal,
    findSurprise: () => Promise<Proposal | StepSurprise>,
  ): Promise<ToolCallResult | StepSurprise> {
    const { deps, scope } = this;
    const isKnown = await hasAction(deps.pool, scope.lane, buildActionIntent(this, frozen));
    const run = async (): Promise<ToolCallResult | StepSurprise> => {
      const now = isKnown ? frozen : await findSurprise();
      if ('surprise' in now) return now;
      scope.enter('GOVERNING');
      const decided = { ...now, grantId: null, taint: { foreign: null, hasPrivate: false } };
      this.call = { ...this.call, resolved: now.action.resolved ?? null };
      return frozen.action.assessment.risk === 'safe' ? this.#read(decided) : this.#start(decided, run);
    };
    return this.#locked(run);
  }

  /** Resolves the arguments. Returns the obstacle to a decision, or null. */
  async #resolve(): Promise<AppError | null> {
    try {
      this.call = await resolveArguments(this);
      return null;
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'LANE_LOST' || isTaken(error)) throw error;
      return error;
    }
  }

  async #decideAndCarryOut(): Promise<ToolCallResult> {
    const proposal = await decideCall(this, this.#origin);
    const result = await this.#carryOut(proposal).catch(async (thrown: unknown) => {
      // The id of the call or of its job belongs to another action, and continuing would mix up the two actions.
      if (isTaken(thrown)) await appendAudit(this.deps.pool, [createRefusedEvent(proposal, thrown)]);
      throw thrown;
    });
    // After a change in between, the last decision counts.
    return result.decided ? result : withDecision(result, proposal);
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
    const isRead = action.assessment.risk === 'safe' && !this.call.steps;
    return isRead ? this.#read(proposal) : this.#locked(() => this.#start(proposal));
  }

  /** Probes an action that an earlier run started; it continues only if policy still allows it. Null when not started. */
  async #findRunningWork(proposal: Proposal): Promise<ToolCallResult | null> {
    const { deps, scope, call } = this;
    if (!(await hasAction(deps.pool, scope.lane, buildActionIntent(this, proposal)))) return null;
    const known = await findAction(deps.pool, call.actionId);
    switch (known?.status) {
      case 'done':
        return call.steps && known.proposal ? this.#run(known.proposal) : readStoredResult(known.result, call.name);
      case 'failed':
      case 'unknown':
        return readStoredResult(known.result, call.name);
      case 'started': {
        const started = known.proposal && decideStarted(this, proposal, known.proposal);
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
  async #start<T = never>(
    proposal: Decided,
    again: () => Promise<ToolCallResult | T> = () => this.#decideAndCarryOut(),
  ): Promise<ToolCallResult | T> {
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
    if (claim.kind === 'stopped') return again();
    if (claim.kind === 'denied') return createFailedResult(this.#notPermitted(claim.role));
    const earlier = claim.kind === 'earlier' ? await this.#findEarlier(claim.action) : null;
    return earlier ?? this.#run(proposal);
  }

  /** The result of an action that an earlier run started; null when it runs now, or is a plan, which goes on where it was. */
  #findEarlier(action: Parameters<typeof findEarlierResult>[1]): Promise<ToolCallResult | null> {
    const goesOn = this.call.steps !== undefined && (action.status === 'started' || action.status === 'done');
    return goesOn ? Promise.resolve(null) : findEarlierResult(this, action);
  }

  /** Runs an action with a committed intent, and settles it. */
  async #run(proposal: Proposal): Promise<ToolCallResult> {
    const { deps, scope, call } = this;
    const unknownOf = (outcome: ToolCallResult) =>
      outcome.code === 'TOOL_TIMED_OUT' ? outcome : createUnknownOutcome(call);
    scope.enter('EXECUTING');
    if (call.steps) return startPlan({ deps, scope, runStep: toStepRunner(deps, scope) }, proposal, call);
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

  #locked<T>(run: () => Promise<T>): Promise<T> {
    const lock = this.call.tool.lock(this.call.input);
    return lock === null ? run() : withLock(this.deps.lockPool, lock, run);
  }

  #isPermitted(): boolean {
    return coversRole(this.scope.actor.role, this.call.tool.role);
  }

  #notPermitted(role: Role | null): AppError {
    return new AppError('NOT_PERMITTED', { role: role ?? 'none', needed: this.call.tool.role });
  }
}

/** A step may be a tool of any group that the person may load. */
function findAuthor(deps: GovernanceDeps, scope: CallScope, loaded: readonly string[]): PlanAuthor {
  const { agent, actor, chatKey, inGroup, now } = scope;
  const others = deps.tools.groups.map(({ name }) => name).filter((name) => !loaded.includes(name));
  const place = { ...actor, agentClass: agent.class, chatKey, inGroup, at: now().toISOString() };
  const { allowed } = decideGroups(deps.policy(), others, place);
  return { agent: agent.id, role: actor.role, groups: [...loaded, ...allowed] };
}

/** Runs steps of a plan in this turn. */
export function toStepRunner(deps: GovernanceDeps, scope: CallScope): StepRunner {
  // A step is no call of the model: the phases of the turn are those of its plan.
  const own: CallScope = { ...scope, enter: () => undefined };
  return (call, frozen, findSurprise) => new ActionRun(deps, own, call).runStep(frozen, findSurprise);
}

function withDecision(
  result: ToolCallResult,
  proposal: Decided,
): { readonly decided: RecordedDecision } & ToolCallResult {
  return { ...result, decided: toRecordedDecision(proposal, proposal.taint, proposal.taints) };
}

function isTaken(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'ACTION_ID_TAKEN';
}

/** What a void approval was for means something else by now: a button asks for that. An order that fits into no button has none. */
function offerAgain({ tool, input }: RunnableCall): readonly Button[] {
  const order = tool.order(input) ?? '';
  const button = Button.safeParse({ label: order, value: order });
  return button.success ? [button.data] : [];
}
