import { beginAction, settleAction } from '@signalbox/shared/db/actions';
import { putArtifacts, type Artifact } from '@signalbox/shared/db/artifacts';
import type { Lane } from '@signalbox/shared/db/lane';
import { withLock } from '@signalbox/shared/db/locks';
import type { Pool } from '@signalbox/shared/db/pool';
import type { OutboundFile } from '@signalbox/shared/contracts/envelope';
import type { JobName, JobPayload, JobResult } from '@signalbox/shared/contracts/jobs';
import { Role, roleCovers } from '@signalbox/shared/contracts/roles';
import { AppError, say as sentence, toAppError, type ErrorCode } from '@signalbox/shared/errors';
import type { Log } from '@signalbox/shared/log';
import type { Ports } from './ports/ports.ts';
import type { ToolRegistry } from './registry.ts';
import { onlyDeclared, underSignal } from './tool-bounds.ts';
import { unpackResult, type Tool, type ToolContext, type ToolGroup, type Worked } from './tool.ts';

/** What the agent gets back. `say` is for people; `result` and `code` are for the model. */
export interface ToolCallResult {
  readonly ok: boolean;
  readonly result: unknown;
  readonly say: string;
  readonly code: ErrorCode | null;
  /** Whether anything may have changed: false for reads and for calls that did not run. */
  readonly changed: boolean;
  /** Files that go with the answer. */
  readonly files?: readonly OutboundFile[];
}

export interface ToolCall {
  readonly actionId: string;
  readonly tool: string;
  readonly args: unknown;
  /** Capability groups that are active in the thread. */
  readonly groups: readonly string[];
}

/** The turn on whose behalf a call is made. */
export interface CallScope {
  readonly lane: Lane;
  readonly turnId: string;
  readonly threadId: string;
  readonly chatKey: string;
  readonly traceId: string;
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Makes the thread's state durable; called before anything that has an effect. */
  flush(): Promise<void>;
  say(text: string, slot: string | null, key: string): Promise<void>;
}

export interface ExecuteParts {
  readonly pool: Pool;
  readonly lockPool: Pool;
  readonly registry: ToolRegistry;
  readonly ports: Ports;
  enqueue<N extends JobName>(
    job: N,
    payload: JobPayload<N>,
    scope: CallScope,
    actionId: string,
  ): Promise<{ readonly runId: string }>;
  /** Waits for a job's result as long as `wait` allows: see work.ts. */
  work<N extends JobName>(
    job: N,
    payload: JobPayload<N>,
    scope: CallScope,
    actionId: string,
    wait: { readonly deadlineMs: number },
  ): Promise<Worked<JobResult<N>>>;
}

/** Results larger than this reach the model shortened, with a note that they are. */
const RESULT_LIMIT = 20_000;

/**
 * The one path of a tool call: find, validate, authorize, write the intent, run with deadline, settle.
 * What goes wrong comes back as a result for the model, never as a throw; only LANE_LOST and an abort of the turn throw.
 * Calling it again with the same action id returns what came of the first time, and has no second effect.
 */
export async function executeCall(parts: ExecuteParts, scope: CallScope, call: ToolCall): Promise<ToolCallResult> {
  const found = parts.registry.find(call.tool, call.groups);
  if (!found)
    return failure(new AppError('TOOL_UNKNOWN', { tool: call.tool, loaded: loadedNames(parts.registry, call.groups) }));
  const { tool, group } = found;
  const parsed = tool.input.safeParse(call.args ?? {});
  if (!parsed.success) {
    const detail = parsed.error.issues
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
      .join('; ');
    return failure(new AppError('TOOL_INPUT_INVALID', { tool: call.tool, detail }));
  }
  if (!roleCovers(scope.actor.role, tool.role)) {
    return failure(new AppError('NOT_PERMITTED', { role: scope.actor.role, needed: tool.role }));
  }
  const risk = tool.risk(parsed.data);
  if (risk === 'dangerous') return failure(new AppError('NEEDS_APPROVAL', { action: call.tool }));
  const run = async (): Promise<ToolCallResult> =>
    keepFiles(parts, scope, call, await runTool(parts, scope, call, tool, group, parsed.data));
  // Reads change nothing, so they need neither a durable state nor a ledger row.
  if (risk === 'safe') return { ...(await run()), changed: false };
  await scope.flush();
  const lock = tool.lock(parsed.data);
  const guarded = (): Promise<ToolCallResult> => throughLedger(parts, scope, call, tool, parsed.data, run);
  return lock === null ? guarded() : withLock(parts.lockPool, lock, guarded);
}

async function throughLedger(
  parts: ExecuteParts,
  scope: CallScope,
  call: ToolCall,
  tool: Tool,
  input: unknown,
  run: () => Promise<ToolCallResult>,
): Promise<ToolCallResult> {
  const { turnId, threadId } = scope;
  const begun = await beginAction(parts.pool, scope.lane, {
    actionId: call.actionId,
    turnId,
    threadId,
    tool: call.tool,
    arguments: input,
    roles: Role.options.filter((role) => roleCovers(role, tool.role)),
  });
  if (begun.kind === 'denied')
    return failure(new AppError('NOT_PERMITTED', { role: begun.role ?? 'none', needed: tool.role }));
  if (begun.kind === 'lost') throw new AppError('LANE_LOST', { userKey: scope.lane.userKey });
  if (begun.kind === 'earlier') {
    const { status, result } = begun.action;
    if (status === 'done' || status === 'failed') return result as ToolCallResult; // written below, by an earlier run of this turn
    if (status === 'unknown' || tool.replay === 'unknown') {
      const unknown = failure(new AppError('TOOL_OUTCOME_UNKNOWN', { tool: call.tool }));
      await settleAction(parts.pool, call.actionId, { status: 'unknown', result: unknown, errorCode: unknown.code });
      return unknown;
    }
  }
  const outcome = await run();
  await settleAction(parts.pool, call.actionId, {
    status: statusOf(outcome, tool),
    result: outcome,
    errorCode: outcome.code,
  });
  return outcome;
}

/** A time-out after a write means unknown, not failed; what is harmless to repeat may simply be asked for again. */
function statusOf(outcome: ToolCallResult, tool: Tool): 'done' | 'failed' | 'unknown' {
  if (outcome.ok) return 'done';
  return outcome.code === 'TOOL_TIMED_OUT' && tool.replay === 'unknown' ? 'unknown' : 'failed';
}

async function runTool(
  parts: ExecuteParts,
  scope: CallScope,
  call: ToolCall,
  tool: Tool,
  group: ToolGroup,
  input: unknown,
): Promise<Ran> {
  const deadline = AbortSignal.timeout(tool.deadlineMs);
  const signal = AbortSignal.any([scope.signal, deadline]);
  const startedAt = performance.now();
  try {
    const returned = await underSignal(tool.run(input, contextOf(parts, scope, call, { tool, group }, signal)), signal);
    const { output, files } = unpackResult(returned);
    scope.log.info('tool finished', {
      tool: call.tool,
      actionId: call.actionId,
      ok: true,
      durationMs: Math.round(performance.now() - startedAt),
    });
    const done = { ok: true, result: shorten(output), say: tool.done(output, input), code: null, changed: true };
    return { result: done, files };
  } catch (thrown) {
    if (scope.signal.aborted) throw scope.signal.reason;
    const error = deadline.aborted
      ? new AppError('TOOL_TIMED_OUT', { tool: call.tool, seconds: String(tool.deadlineMs / 1_000) }, thrown)
      : asToolError(thrown, call);
    const log = error.code === 'TOOL_FAILED' || error.code === 'TOOL_TIMED_OUT' ? scope.log.error : scope.log.info;
    log('tool failed', {
      tool: call.tool,
      actionId: call.actionId,
      ok: false,
      code: error.code,
      error: thrown,
      durationMs: Math.round(performance.now() - startedAt),
    });
    return { result: failure(error), files: [] };
  }
}

/**
 * Stores the files of a call that has run. What the tool did stands, so files that cannot be taken are told and no failure; when
 * the database is away the turn is given back, and the same call is asked for again.
 */
async function keepFiles(parts: ExecuteParts, scope: CallScope, call: ToolCall, ran: Ran): Promise<ToolCallResult> {
  const { result, files } = ran;
  if (files.length === 0) return result;
  const { turnId, threadId, lane } = scope;
  const kept = await putArtifacts(parts.pool, lane, { actionId: call.actionId, turnId, threadId }, files);
  if (kept.kind === 'lost') throw new AppError('LANE_LOST', { userKey: lane.userKey });
  if (kept.kind === 'stored') return { ...result, files: kept.files };
  scope.log.warn('files not taken', { tool: call.tool, actionId: call.actionId, detail: kept.detail });
  const refusal = sentence('FILES_REFUSED', { detail: kept.detail });
  return { ...result, result: { result: result.result, files: refusal }, say: `${result.say}\n\n${refusal}` };
}

interface Ran {
  readonly result: ToolCallResult;
  readonly files: readonly Artifact[];
}

function contextOf(
  parts: ExecuteParts,
  scope: CallScope,
  call: ToolCall,
  { tool, group }: { readonly tool: Tool; readonly group: ToolGroup },
  signal: AbortSignal,
): ToolContext {
  let said = 0;
  return {
    actor: scope.actor,
    threadId: scope.threadId,
    actionId: call.actionId,
    signal,
    now: () => new Date(),
    say: (text, options = {}) => scope.say(text, options.slot ?? null, `${call.actionId}:say:${said++}`),
    enqueue: (job, payload) => parts.enqueue(job, payload, scope, call.actionId),
    work: (job, payload) => parts.work(job, payload, scope, call.actionId, { deadlineMs: tool.deadlineMs }),
    ports: onlyDeclared(parts.ports, group),
  };
}

function asToolError(thrown: unknown, call: ToolCall): AppError {
  const error = toAppError(thrown, call.actionId);
  return error.code === 'INTERNAL'
    ? new AppError('TOOL_FAILED', { tool: call.tool, ref: call.actionId }, thrown)
    : error;
}

export function failure(error: AppError): ToolCallResult {
  return { ok: false, result: null, say: sentence(error.code, error.data), code: error.code, changed: false };
}

function shorten(output: unknown): unknown {
  const text = JSON.stringify(output) ?? 'null';
  return text.length <= RESULT_LIMIT ? output : { shortened: true, text: text.slice(0, RESULT_LIMIT) };
}

function loadedNames(registry: ToolRegistry, groups: readonly string[]): string {
  const names = registry.definitions(groups).map((definition) => definition.name);
  return names.length > 0 ? names.join(', ') : 'none but the base tools; load a group with request_capabilities';
}
