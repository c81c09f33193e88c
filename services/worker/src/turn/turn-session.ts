import type { RecordedApproval } from '@signalbox/contracts/governance/execution-turn';
import { AppError } from '@signalbox/contracts/errors';
import { HOUR_MS, waitAtMost } from '@signalbox/contracts/time';
import { runAsCaller } from '@signalbox/models/retry/gate';
import type { Log } from '@signalbox/platform/log';
import type { ClaimedLane, InboxMessage, TurnOutcome } from '@signalbox/store/turns/lanes';
import { runFirst } from '@signalbox/store/pool-queue';
import { isAwaitingReply } from '@signalbox/store/conversation/threads';
import { findReceipts, listPointedRequests } from '@signalbox/store/conversation/outbox';
import { readTurnEffects } from '@signalbox/store/governance/actions';
import type { TurnRecording } from '@signalbox/store/governance/execution-turns';
import type { AgentMessage, AgentRecord, AgentReply, AgentResult, AgentRun } from '../agents/agent.ts';
import { resumeAction, type ResumeResult } from '@signalbox/governance/resume-decision';
import { keepAttachments } from '../attachments/keep-attachments.ts';
import { describeKeptFiles, listLostFiles } from '../attachments/sentences.ts';
import { createPhaseMachine, type PhaseMachine } from '../loop/fsm.ts';
import { loadReceipts } from '@signalbox/governance/receipts';
import { taintByMessages, taintThread } from '@signalbox/governance/provenance/taint';
import { bindOffers } from '@signalbox/governance/offers';
import type { CallScope, ToolCallResult } from '@signalbox/governance/calls/call';
import { createAgentRun, toCallScope } from './agent-run.ts';
import {
  findFilesWithoutText,
  isWrittenByOthers,
  toDecisionBatch,
  toMessageBatch,
  type MessageBatch,
} from './batch.ts';
import { createTurnDraft, type TurnDraft } from './draft.ts';
import { createJobButtons, findToldVersions } from './news/job-buttons.ts';
import { fetchOnce, isPicture, loadPictures } from '../attachments/pictures.ts';
import { REPLY_TEXTS } from './reply.ts';
import { proposeChanges } from './news/change-news.ts';
import { askGate } from './news/gate-turn.ts';
import { endPlansOfTurn, followPlans } from './news/plan-news.ts';
import { TurnReport } from './turn-account.ts';
import {
  buildTurnContext,
  createEarlyEnd,
  createTurnEnd,
  endWithFiles,
  endWithNotice,
  leaveThread,
  settleAll,
  toNoticeText,
  type TurnContext,
} from './turn-end.ts';
import { finishTurn, type TurnStart } from './turn-start.ts';
import { createEmptyRecord, recordResume, recordTurn } from './turn-record.ts';

/** A card that has waited so long was forgotten: the next answer points at it again. */
const POINT_AGAIN_MS = 4 * HOUR_MS;

/** The time that a stopped turn waits for results of its running calls. */
const SETTLE_MS = 2_000;

/**
 * Runs one turn of the agent, from its messages to the transaction that ends the turn. A decision is carried out first; its result goes
 * to the agent. A stop, or a failure that the person must see, ends the turn early.
 */
export class TurnSession {
  readonly #start: TurnStart;
  #context: TurnContext;
  readonly #actor: AgentRun['actor'];
  /** A decision may come after its thread's end; no agent gets its result. */
  readonly #isThreadOver: boolean;
  readonly #log: Log;
  readonly #account: TurnReport;
  readonly #draft: TurnDraft;
  #messages: readonly AgentMessage[] = [];
  #resume: RecordedApproval | null = null;
  /** The next actions that the result of a decided action suggests. */
  #offered: NonNullable<ToolCallResult['next']> = [];
  /** The files of a decided action. */
  #files: NonNullable<ToolCallResult['files']> = [];
  readonly #calls = new Set<Promise<unknown>>();
  #notes: readonly string[] = [];
  /** Ends of runs that nobody is told of, because their plan goes on. */
  #silent: readonly InboxMessage[] = [];
  /** What the plans say that ended in this turn. */
  #ended: readonly string[] = [];
  /** False when the cached state of the thread may be newer than the stored one. */
  #isCommitted = false;

  constructor(start: TurnStart, batch: readonly InboxMessage[]) {
    const { parts, lane, person, first, signals } = start;
    const { chatKey, traceId } = first.envelope;
    const { kind } = first.envelope;
    const ended = kind === 'decision' || kind === 'job-finished' ? first.envelope.threadId : null;
    const threadId = (ended ?? lane.threadId) as string; // a claimed lane has a thread whenever its first row is a message
    this.#start = start;
    this.#context = { ...buildTurnContext(lane, first), batch, threadId };
    const { turnId } = this.#context;
    this.#actor = { userKey: lane.userKey, ...person };
    this.#isThreadOver = threadId !== lane.threadId;
    this.#log = parts.log.child({ traceId, turnId, threadId, userKey: lane.userKey });
    this.#account = new TurnReport(parts.account, this.#context);
    this.#draft = createTurnDraft({
      head: { chatKey, userKey: lane.userKey, turnId },
      publish: parts.publishDraft,
      preview: (text) => this.#account.preview(text),
      signal: signals.signal,
    });
  }

  /** Runs the turn. Returns true when more messages wait. Throws infrastructure errors and LANE_LOST. */
  async run(): Promise<boolean> {
    const { parts, lane } = this.#start;
    const { threadId, turnId } = this.#context;
    if (!this.#isThreadOver) parts.checkpoints.open(threadId, lane, lane.threadNew && !lane.resumed, turnId);
    try {
      const machine = createPhaseMachine(this.#start.trace.enter);
      const scope = this.#toCallScope(machine);
      const resumed = await this.#carryOut(scope, machine);
      const asked = resumed === null ? await askGate(parts.governance, scope, this.#start.first) : null;
      if (asked) return await this.#report(asked.say);
      const isSilent = resumed === null && (await this.#followPlans(scope));
      if (isSilent) return await this.#endSilently();
      if (this.#isThreadOver) return await this.#report(resumed?.say ?? toNoticeText(this.#newest()));
      return await this.#think(scope, resumed);
    } catch (thrown) {
      // Many other turns may be ending at this moment.
      return await (this.#isStopped() ? runFirst(() => this.#cutShort(thrown)) : this.#cutShort(thrown));
    } finally {
      this.#draft.end();
      if (!this.#isThreadOver) parts.checkpoints.close(threadId, this.#isCommitted);
    }
  }

  #toCallScope(machine: PhaseMachine): CallScope {
    return toCallScope(this.#start.parts, this.#context, {
      actor: this.#actor,
      signal: this.#start.signals.signal,
      log: this.#log,
      machine,
      isThreadOver: this.#isThreadOver,
    });
  }

  /** Continues the action of a decision; null for other turns. */
  async #carryOut(scope: CallScope, machine: PhaseMachine): Promise<ResumeResult | null> {
    const { envelope } = this.#start.first;
    if (envelope.kind !== 'decision') return null;
    const resumed = await this.#start.trace.resume(
      envelope.actionId,
      () => resumeAction(this.#start.parts.governance, scope, envelope),
      ({ result, decided }) => result && { ...result, ...(decided ? { decided } : {}) },
    );
    this.#resume = recordResume(envelope, resumed, machine.path());
    this.#offered = resumed.result?.next ?? [];
    this.#files = resumed.result?.files ?? [];
    this.#account.decided(envelope, resumed);
    return resumed;
  }

  /** Goes on with the plans whose runs ended. Their news replaces that of the runs; true when there is nothing to tell. */
  async #followPlans(scope: CallScope): Promise<boolean> {
    const { governance } = this.#start.parts;
    const followed = await followPlans(governance, scope, this.#context.batch);
    const { batch, asking, next } = await proposeChanges(governance, scope, followed.batch);
    this.#context = { ...this.#context, batch };
    this.#offered = next;
    this.#account.changeEnded(batch, asking);
    this.#silent = followed.silent;
    this.#ended = followed.said;
    this.#account.planEnded(followed);
    return followed.batch.length === 0;
  }

  /** Ends a turn that only went on with a plan: its card or message shows how far it is. */
  async #endSilently(): Promise<boolean> {
    const outcomes = settleAll(this.#silent, 'answered', 'plan');
    const more = await finishTurn(this.#start, { turn: null, outcomes, replies: [], thread: null });
    this.#isCommitted = true;
    return more;
  }

  #newest(): InboxMessage['envelope'] {
    return (this.#context.batch[0] ?? this.#start.first).envelope;
  }

  /** Reports the result to the person without an agent, and ends the thread if it is not over. */
  async #report(text: string): Promise<boolean> {
    const { parts, first } = this.#start;
    const { threadId } = this.#context;
    const actionId = first.envelope.kind === 'decision' ? first.envelope.actionId : '';
    const { timeZone } = parts.account;
    const receipts = await loadReceipts(parts.pool, [actionId], { threadId, timeZone, isBrief: true });
    const besides = { receipts, buttons: await this.#bindOffered(), ...this.#attach() };
    const recording = this.#record(createEmptyRecord(this.#context, this.#actor), 'notice', null);
    const end = endWithNotice(parts, this.#context, text, besides);
    const thread = this.#isThreadOver ? null : leaveThread(threadId, 'closed');
    const more = await this.#finish({ ...end, thread }, recording);
    this.#isCommitted = true;
    return more;
  }

  async #think(scope: CallScope, resumed: ResumeResult | null): Promise<boolean> {
    const { parts, lane, first } = this.#start;
    const { batch, threadId, startedAt } = this.#context;
    this.#messages = resumed ? [] : toMessageBatch(batch).messages;
    if (resumed?.isOutside) await taintThread(parts.pool, threadId, 'decision');
    if (!this.#isThreadOver)
      await taintByMessages(parts.pool, { threadId, source: 'messages', messages: batch.filter(isWrittenByOthers) });
    const fetchFile = fetchOnce(parts.fetchFile);
    const kept = await keepAttachments({ ...parts.attachments, fetchFile }, scope, batch);
    const given =
      resumed && first.envelope.kind === 'decision'
        ? toDecisionBatch(first.envelope, resumed)
        : toMessageBatch(batch, kept, await findToldVersions(parts, batch));
    this.#messages = given.messages;
    const files = findFilesWithoutText(batch);
    const sees = parts.agent.sees === true;
    if (files && !(sees && files.some(isPicture))) return this.#answerFiles(describeKeptFiles(batch, kept));
    const seen = await loadPictures({ fetchFile, sees, signal: scope.signal }, batch, given.shownWith);
    this.#notes = [...(seen.note === null ? [] : [seen.note]), ...listLostFiles(batch, kept, sees)];
    const made = { scope, draft: this.#draft, account: this.#account, pictures: seen.pictures };
    const run = this.#followed(createAgentRun(parts, this.#context, made, createPhaseMachine(this.#start.trace.enter)));
    const onWait = (before: number | null): void => this.#draft.tell(REPLY_TEXTS.modelBusy(before));
    const { resumed: resume, threadNew } = lane;
    const { traceparent } = this.#start.trace;
    const result = await runAsCaller({ userKey: lane.userKey, onWait, traceparent }, () =>
      parts.agent.run({ messages: given.messages, run, resume, threadNew }),
    );
    this.#draft.end(); // ends the draft before the answer can be seen
    this.#start.trace.enter('TERMINAL');
    const more = await this.#finish(
      await this.#endOf(result, given),
      this.#record(result.record, result.outcome, null),
    );
    this.#isCommitted = true;
    this.#log.info('turn finished', {
      outcome: result.outcome,
      messages: batch.length,
      passes: result.passes,
      toolCalls: result.toolCalls,
      durationMs: lane.now().getTime() - startedAt.getTime(),
    });
    return more;
  }

  /** Answers files without words: says where they lie. The conversation remembers it, unless its open question has to stay last. */
  async #answerFiles(text: string): Promise<boolean> {
    const { parts, lane } = this.#start;
    if (await isAwaitingReply(parts.pool, this.#context.threadId))
      return finishTurn(this.#start, endWithFiles(parts, this.#context, text));
    const isNew = lane.threadNew || lane.resumed;
    const run = { ...this.#context, actor: this.#actor };
    const record = await parts.agent.note({ run, messages: [], isNew, text });
    const more = await this.#finish(endWithFiles(parts, this.#context, text), this.#record(record, 'notice', text));
    this.#isCommitted = true;
    return more;
  }

  /** Tracks the calls of a run: a stop ends the agent at once and a call a moment later. */
  #followed(run: AgentRun): AgentRun {
    const call: AgentRun['call'] = (request) => {
      const called = this.#start.trace
        .call(request.callId, () => run.call(request))
        .finally(() => this.#calls.delete(called));
      this.#calls.add(called);
      return called;
    };
    return { ...run, call };
  }

  async #endOf(result: AgentResult, { shownWith }: MessageBatch): Promise<ReturnType<typeof createTurnEnd>> {
    const { envelope } = this.#start.first;
    if (envelope.kind === 'mode') return this.#endOfRedraw(result);
    const before = [
      ...(envelope.kind === 'node' ? [{ key: envelope.id, text: envelope.say, buttons: [] }] : []),
      ...this.#notes.map((text, place) => ({ key: `files:${envelope.id}:${place}`, text, buttons: [] })),
    ];
    // An agent may have said something about an event before it left the rest to the runtime.
    const isTold = result.replies.length === 0 || result.tellsEvents === true;
    const replies = [...before, ...(isTold ? await this.#tellEvents() : []), ...result.replies];
    const closed = await this.#account.close(replies, result.record.passes);
    const next = [
      ...(await createJobButtons(this.#start.parts, this.#context, this.#actor, this.#context.batch)),
      ...(isTold ? [] : await this.#bindOffered()),
    ];
    const files = isTold ? {} : this.#attach();
    const ended = closed.map((reply, place) => {
      if (place !== closed.length - 1) return reply;
      return { ...files, ...reply, ...(reply.buttons.length === 0 ? { buttons: next } : {}) };
    });
    const { threadNew, resumed } = this.#start.lane;
    const task = threadNew || resumed ? result.task : null;
    const about = await this.#account.describeThread(task, result.outcome === 'finished');
    const context = { ...this.#context, lane: await this.#withoutShownCards() };
    return createTurnEnd(this.#start.parts, context, { ...result, replies: ended, about }, shownWith);
  }

  /** The lane without the cards at which this person was pointed lately: a line below each answer would be noise. */
  async #withoutShownCards(): Promise<ClaimedLane> {
    const { parts, lane } = this.#start;
    if (lane.waiting.length === 0) return lane;
    const { chatKey } = this.#context;
    const ids = lane.waiting.map(({ approvalId }) => approvalId);
    const shown = new Set(
      await listPointedRequests(parts.pool, { userKey: lane.userKey, chatKey }, ids, POINT_AGAIN_MS),
    );
    return { ...lane, waiting: lane.waiting.filter(({ approvalId }) => !shown.has(approvalId)) };
  }

  /** What the runtime tells of events about which the agent said nothing; a view shows them itself. */
  async #tellEvents(): Promise<readonly AgentReply[]> {
    const { parts } = this.#start;
    if (parts.agent.draws) return [];
    const buttons = await this.#bindOffered();
    return this.#messages.flatMap(({ id, event }) =>
      event?.kind === 'decision' || event?.kind === 'job-finished'
        ? [{ key: id, text: event.say, buttons, ...this.#attach() }]
        : [],
    );
  }

  /** The files of the decided action, which go with the message that tells of it. */
  #attach(): Pick<AgentReply, 'files'> {
    return this.#files.length === 0 ? {} : { files: this.#files };
  }

  #bindOffered(): ReturnType<typeof bindOffers> {
    const { parts } = this.#start;
    const asker = { ...this.#context, agent: parts.plugin, actor: this.#actor };
    return bindOffers(parts.governance.tools, asker, this.#offered, null);
  }

  /** Ends a turn that only redraws a view; the view keeps its receipts. */
  async #endOfRedraw(result: AgentResult): Promise<ReturnType<typeof createTurnEnd>> {
    const { parts } = this.#start;
    const { threadId, chatKey } = this.#context;
    const replies: AgentReply[] = [];
    for (const reply of result.replies)
      replies.push({ ...reply, receipts: await findReceipts(parts.pool, chatKey, `${threadId}/${reply.slot}`) });
    return createTurnEnd(parts, this.#context, { ...result, replies, about: { title: null, summary: null } });
  }

  #isStopped(): boolean {
    const { signals } = this.#start;
    return signals.stopBefore() > 0 && signals.signal.aborted;
  }

  /** Ends the turn with the runtime's words after a stop or a failure. Rethrows other errors. */
  async #cutShort(thrown: unknown): Promise<boolean> {
    const { parts, lane, first, signals } = this.#start;
    const { turnId } = this.#context;
    const isStop = this.#isStopped();
    // Libraries change abort errors, so the signal's own reason counts.
    if (signals.signal.aborted && !isStop) throw signals.signal.reason;
    if (!isStop && !(thrown instanceof AppError && thrown.remedy === 'tell-user')) throw thrown;
    this.#draft.end();
    const { envelope } = first;
    const actionId = envelope.kind === 'decision' ? envelope.actionId : null;
    await waitAtMost(Promise.allSettled(this.#calls), SETTLE_MS); // the calls' results go into the reply
    const soFar = await readTurnEffects(parts.pool, lane.userKey, { turnKey: envelope.id, actionId });
    const why = isStop ? REPLY_TEXTS.stopped(soFar) : REPLY_TEXTS.failed(thrown as AppError, soFar); // checked above
    const plans = [...this.#ended, ...(await this.#endPlans(isStop))];
    // Text that the person has already read must not vanish with the draft.
    const unsent = this.#draft.unsent();
    const unfinished = unsent.trim() === '' ? null : REPLY_TEXTS.unfinished(unsent);
    const text = [unfinished, why, ...plans].filter(Boolean).join('\n\n');
    const isNew = lane.threadNew || lane.resumed;
    const run = { ...this.#context, actor: this.#actor };
    const record = this.#isThreadOver
      ? createEmptyRecord(this.#context, this.#actor)
      : await parts.agent.note({ run, messages: this.#messages, isNew, text });
    this.#log.info('turn cut short', { stopped: isStop, error: isStop ? undefined : thrown });
    const outcome = isStop ? 'stopped' : 'failed';
    const said: readonly AgentReply[] = [
      ...(unfinished === null ? [] : [{ key: `${turnId}:unfinished`, text: unfinished, buttons: [] }]),
      { key: `${turnId}:end`, text: [why, ...plans].join('\n\n'), buttons: [] },
    ];
    for (const said of [why, ...plans]) this.#account.said(said);
    const replies = await this.#account.close(said, 'cut short');
    return this.#finish(
      createEarlyEnd(parts, this.#context, outcome, { replies, why }),
      this.#record(record, outcome, text),
    );
  }

  /** Ends the plans that this turn ran, whose next step nobody would begin. The turn's own signal has been aborted. */
  #endPlans(isStop: boolean): Promise<readonly string[]> {
    const scope = { ...this.#toCallScope(createPhaseMachine()), signal: new AbortController().signal };
    return endPlansOfTurn(this.#start.parts.governance, scope, isStop);
  }

  #record(record: AgentRecord, outcome: TurnOutcome, note: string | null): TurnRecording {
    const ended = { record, outcome, note, resume: this.#resume, isThreadOver: this.#isThreadOver };
    return recordTurn(this.#start.parts, this.#context, ended);
  }

  #finish(end: ReturnType<typeof createTurnEnd>, recording: TurnRecording): Promise<boolean> {
    const threadId = this.#isThreadOver ? null : this.#context.threadId;
    const outcomes = [...end.outcomes, ...settleAll(this.#silent, 'answered', 'plan')];
    return finishTurn(this.#start, { ...end, outcomes }, { threadId, recording });
  }
}
