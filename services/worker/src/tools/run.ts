import { abortAfter } from '@signalbox/contracts/time';
import { putArtifacts, type Artifact } from '@signalbox/store/artifacts';
import type { JobName, JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import type { Pool } from '@signalbox/store/pool';
import { findEffect } from '@signalbox/store/effects';
import { AppError, toAppError } from '@signalbox/contracts/errors';
import { cutLongResult } from '@signalbox/contracts/governance/long-result';
import { hasOutside, wrapOutside } from '@signalbox/contracts/governance/outside';
import { sayError as sentence } from '@signalbox/messages/say';
import { isInfrastructureError } from '@signalbox/store/infrastructure';
import { isLockTimeout } from '@signalbox/store/pool';
import { makeStorable } from '@signalbox/contracts/storable';
import {
  createFailedResult,
  type CallScope,
  type RunnableCall,
  type ToolCallResult,
} from '@signalbox/governance/calls/call';
import type { Ports } from './ports/ports.ts';
import { limitPorts, abortWithSignal } from './tool-bounds.ts';
import {
  issueContext,
  unpackResult,
  type ProbeResult,
  type Tool,
  type ToolContext,
  type ToolGroup,
  type JobWait,
} from './tool.ts';

export interface ToolRunDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  enqueue<N extends JobName>(
    job: N,
    payload: JobPayload<N>,
    scope: CallScope,
    call: JobCall,
  ): Promise<{ readonly runId: string }>;
  /** Waits for a job's result as long as `wait` allows: see job-client.ts. */
  work<N extends JobName>(
    job: N,
    payload: JobPayload<N>,
    scope: CallScope,
    call: JobCall,
    wait: { readonly deadlineMs: number; readonly isQuiet?: boolean },
  ): Promise<JobWait<JobResult<N>>>;
  look<N extends JobName>(job: N, actionId: string): Promise<ProbeResult<JobResult<N>>>;
}

export interface HandledCall extends RunnableCall {
  readonly tool: Tool;
  readonly group: ToolGroup;
}

export type JobCall = Pick<RunnableCall, 'actionId' | 'name' | 'input'>;

/** The maximum length of a stored result; a model reads long results in parts. */
const MAX_RESULT_LENGTH = 200_000;

/**
 * Runs a tool's handler, under its deadline and the turn's signal, and stores its files. Only governance calls this, after it has
 * decided. A thrown error becomes a result, except LANE_LOST, ACTION_ID_TAKEN and an abort of the turn. An outage of our own servers is
 * thrown too when the call only reads, or was repeated after a look-up that found nothing: the worker then restarts the turn.
 */
export async function runTool(
  parts: ToolRunDeps,
  scope: CallScope,
  call: HandledCall,
  { isRead = false, isAgain = false }: { readonly isRead?: boolean; readonly isAgain?: boolean } = {},
): Promise<{ readonly result: ToolCallResult; readonly isUncertain: boolean }> {
  const ran = await handle(parts, scope, call, { isRead, isAgain });
  return { result: makeStorable(await keepFiles(parts, scope, call, ran)), isUncertain: ran.isUncertain };
}

/** Looks up whether an effect took place whose result was lost. Unknown when the tool cannot tell, or the look-up fails. */
export async function probeTool(
  parts: ToolRunDeps,
  scope: CallScope,
  call: HandledCall,
): Promise<ToolCallResult | 'not-done' | 'unknown'> {
  const { tool, input } = call;
  if (!tool.probe) return 'unknown';
  const signal = AbortSignal.any([scope.signal, abortAfter(tool.deadlineMs)]);
  try {
    const found: ProbeResult<unknown> = await abortWithSignal(
      tool.probe(input, contextOf(parts, scope, call, signal)),
      signal,
    );
    if (found.kind === 'failed') return makeStorable(createFailedResult(found.error, input));
    if (found.kind !== 'done') return found.kind;
    return makeStorable(createResult(call, found.output));
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    scope.log.error('probe failed', { tool: call.name, actionId: call.actionId, error });
    return 'unknown';
  }
}

async function handle(
  parts: ToolRunDeps,
  scope: CallScope,
  call: HandledCall,
  { isRead, isAgain }: { readonly isRead: boolean; readonly isAgain: boolean },
): Promise<Ran> {
  const { tool, input } = call;
  const deadline = abortAfter(tool.deadlineMs);
  const signal = AbortSignal.any([scope.signal, deadline]);
  const startedAt = performance.now();
  const told = () => ({
    tool: call.name,
    actionId: call.actionId,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    const context = contextOf(parts, scope, call, signal);
    const returned = await abortWithSignal(tool.run(input, context), signal);
    const { output, files } = unpackResult(returned);
    scope.log.info('tool finished', { ok: true, ...told() });
    const goesOn = context.started() ? { goesOn: true as const } : {};
    const done = { ...createResult(call, output), ...nextOf(tool, output, input), ...goesOn };
    return { result: done, files, isUncertain: false };
  } catch (thrown) {
    if (scope.signal.aborted) throw scope.signal.reason;
    if (thrown instanceof AppError && (thrown.code === 'ACTION_ID_TAKEN' || thrown.code === 'LANE_LOST')) throw thrown;
    // A second lock time-out fails the call: otherwise the worker would retry the turn forever.
    const mayPass = isInfrastructureError(thrown) && !(isAgain && isLockTimeout(thrown));
    if ((isRead || isAgain) && !(thrown instanceof AppError) && mayPass) throw thrown;
    const late = isRead ? 'TOOL_TOO_SLOW' : 'TOOL_TIMED_OUT';
    const error = deadline.aborted
      ? new AppError(late, { tool: call.name, seconds: String(tool.deadlineMs / 1_000) }, thrown)
      : asToolError(thrown, call);
    const log = error.code === 'TOOL_FAILED' || deadline.aborted ? scope.log.error : scope.log.info;
    log('tool failed', { ok: false, code: error.code, error: thrown, ...told() });
    return { result: createFailedResult(error, input), files: [], isUncertain: isUncertain(error, tool) };
  }
}

/** Stores a call's files; the call succeeds even when that fails. An outage of the database repeats the turn. */
async function keepFiles(parts: ToolRunDeps, scope: CallScope, call: HandledCall, ran: Ran): Promise<ToolCallResult> {
  const { result, files } = ran;
  if (files.length === 0) return result;
  const { turnId, threadId, lane } = scope;
  const kept = await putArtifacts(parts.pool, lane, { actionId: call.actionId, turnId, threadId }, files);
  if (kept.kind === 'lost') throw new AppError('LANE_LOST', { userKey: lane.userKey });
  if (kept.kind === 'stored') return { ...result, files: kept.files };
  scope.log.warn('files not taken', { tool: call.name, actionId: call.actionId, detail: kept.detail });
  const refusal = sentence('FILES_REFUSED', { detail: kept.detail });
  return { ...result, result: { result: result.result, files: refusal }, say: `${result.say}\n\n${refusal}` };
}

/** True when the effect may have happened: after a timeout, a lost answer or an unexpected error, but not after a refusal. */
function isUncertain(error: AppError, tool: Tool): boolean {
  if (error.code === 'TOOL_TIMED_OUT' || isInfrastructureError(error)) return true;
  return error.code === 'TOOL_FAILED' && tool.probe !== null;
}

interface Ran {
  /** True when the effect may exist despite the failure. */
  readonly isUncertain: boolean;
  readonly result: ToolCallResult;
  readonly files: readonly Artifact[];
}

/** `started`: true when the call has started a job that outlasts it. */
function contextOf(
  parts: ToolRunDeps,
  scope: CallScope,
  call: HandledCall,
  signal: AbortSignal,
): ToolContext & { started(): boolean } {
  const { actionId, tool, group, resolved = null } = call;
  let said = 0;
  let isStarted = false;
  const context: ToolContext & { started(): boolean } = {
    started: () => isStarted,
    actor: scope.actor,
    threadId: scope.threadId,
    actionId,
    signal,
    now: scope.now,
    say: (text, options = {}) => scope.say(text, options.slot ?? null, `${actionId}:say:${said++}`),
    enqueue: (job, payload) => {
      isStarted = true;
      return parts.enqueue(job, payload, scope, call);
    },
    wrote: () => findEffect(parts.pool, actionId),
    worked: (job) => parts.look(job, actionId),
    work: async (job, payload) => {
      const waited = await parts.work(job, payload, scope, call, { deadlineMs: tool.deadlineMs });
      isStarted ||= waited.kind === 'goes-on';
      return waited;
    },
    resolved,
    ports: limitPorts(parts.ports, group),
  };
  issueContext(context);
  return context;
}

function asToolError(thrown: unknown, call: HandledCall): AppError {
  const error = toAppError(thrown, call.actionId);
  return error.code === 'INTERNAL'
    ? new AppError('TOOL_FAILED', { tool: call.name, ref: call.actionId }, thrown)
    : error;
}

function createResult({ name, tool, input }: HandledCall, output: unknown): ToolCallResult {
  const result = shorten(name, tool.enclose(name, output, input));
  const mark = hasOutside(result) ? { untrusted: true } : {};
  const made = tool.made(output, input);
  const values = made.length > 0 ? { made } : {};
  const long = cutLongResult(result, { handle: '' }) ? { isLong: true as const } : {};
  const order = tool.newest === 'last' ? { newest: 'last' as const } : {};
  const said = tool.done(output, input);
  const met = tool.meets(output);
  const meets = met.length > 0 ? { meets: met } : {};
  return { ok: true, result, say: said, code: null, changed: true, ...mark, ...values, ...long, ...order, ...meets };
}

function shorten(name: string, output: unknown): unknown {
  const text = JSON.stringify(output) ?? 'null';
  if (text.length <= MAX_RESULT_LENGTH) return output;
  return { shortened: true, text: wrapOutside(name, text.slice(0, MAX_RESULT_LENGTH)) };
}

function nextOf(tool: Tool, output: unknown, input: unknown): Pick<ToolCallResult, 'next'> {
  const next = tool.next(output, input);
  return next.length > 0 ? { next } : {};
}
