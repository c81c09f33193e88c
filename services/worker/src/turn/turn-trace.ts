import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import { getChannel } from '@signalbox/contracts/conversation/chat-key';
import { getControlState, type ControlState } from '@signalbox/contracts/governance/control-state';
import { toAppError } from '@signalbox/contracts/errors';
import { readIdTime } from '@signalbox/contracts/ids';
import type { ModelObserver, ModelSpend } from '@signalbox/models/port';
import { parseTraceparent, type RemoteSpan } from '@signalbox/platform/tracing/trace-context';
import { formatTraceparent } from '@signalbox/platform/tracing/trace-context';
import { ROOT_SPAN_KEY, type SpanAttributes, type SpanSide, type Tracing } from '@signalbox/platform/tracing/tracing';
import type { ClaimedLane, InboxMessage, TurnEnd } from '@signalbox/store/turns/lanes';
import type { Phase } from '../loop/fsm.ts';
import type { ToolCallResult } from '@signalbox/governance/calls/call';

export interface TurnTracing {
  readonly tracing: Tracing;
  /** Returns the session name of a conversation in traces. */
  readonly sessionOf: (threadId: string) => string;
}

export interface TurnTrace {
  /** Traces a turn with its model calls. Errors are noted and rethrown. */
  around<T>(turn: () => Promise<T>): Promise<T>;
  readonly enter: (phase: Phase) => void;
  /** Traces a tool call with its result. Spans of jobs and decisions become its children. */
  call(actionId: string, run: () => Promise<ToolCallResult>): Promise<ToolCallResult>;
  /** Like `call`, for an action of another turn. `resultOf`: null when nothing ran. */
  resume<T>(actionId: string, run: () => Promise<T>, resultOf: (came: T) => ToolCallResult | null): Promise<T>;
  commit<T>(end: TurnEnd, write: () => Promise<T>): Promise<T>;
  /** W3C's header for requests to others, which puts their spans below the turn; null when nothing is traced. */
  readonly traceparent: string | null;
}

const NO_TRACE: TurnTrace = {
  around: (turn) => turn(),
  enter: () => undefined,
  call: (_, run) => run(),
  resume: (_, run) => run(),
  commit: (_, write) => write(),
  traceparent: null,
};

/** Names of providers in OpenTelemetry's list; other providers keep the name that they have in MODEL. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini', 'azure-openai': 'azure.ai.openai' };
/** The provider of models that run within Signalbox. */
const OWN_PROVIDER = 'signalbox';

const current = new AsyncLocalStorage<RecordedTrace>();

export function openTurnTrace(to: TurnTracing, agent: string, lane: ClaimedLane): TurnTrace {
  const [first] = lane.messages;
  return to.tracing.isOn && first ? new RecordedTrace(to, agent, lane, first) : NO_TRACE;
}

/** Names conversations by a keyed hash, since thread ids contain the person. */
export function createSessionNames(logId: string): TurnTracing['sessionOf'] {
  return (threadId) => `ses_${createHmac('sha256', logId).update(threadId).digest('hex').slice(0, 24)}`;
}

/** Traces model calls in their turn, and passes them on to the given observer. */
export function traceModels({ onCall, onSpend }: ModelObserver): ModelObserver {
  return {
    onCall: (call) => {
      current.getStore()?.asked(call);
      onCall?.(call);
    },
    onSpend: (spend) => {
      current.getStore()?.spent(spend);
      onSpend?.(spend);
    },
  };
}

class RecordedTrace implements TurnTrace {
  readonly #tracing: Tracing;
  readonly #lane: ClaimedLane;
  readonly #first: InboxMessage['envelope'];
  readonly #head: SpanAttributes;
  readonly #agent: string;
  readonly #key: string;
  readonly #claimedAt: number;
  #state: { readonly name: ControlState; readonly from: number; readonly parent: string } | null = null;
  #call: string | null = null;
  #isWaiting = false;
  #spent: ModelSpend[] = [];

  constructor({ tracing, sessionOf }: TurnTracing, agent: string, lane: ClaimedLane, { envelope }: InboxMessage) {
    const threadId = envelope.kind === 'decision' ? envelope.threadId : lane.threadId;
    this.#tracing = tracing;
    this.#lane = lane;
    this.#first = envelope;
    this.#agent = agent;
    // A turn that continues an earlier span becomes its child, in the same trace.
    this.#key = goesOnWith(envelope) === null ? ROOT_SPAN_KEY : `turn:${envelope.id}`;
    const session = threadId === null ? null : sessionOf(threadId);
    this.#head = {
      'gen_ai.agent.id': agent,
      'gen_ai.agent.name': agent,
      'session.id': session,
      'gen_ai.conversation.id': session,
    };
    this.#claimedAt = this.#now();
  }

  get traceparent(): string {
    return formatTraceparent(this.#first.traceId, this.#key);
  }

  async around<T>(turn: () => Promise<T>): Promise<T> {
    try {
      this.#record('wait', { from: this.#begunAt(), until: this.#claimedAt, kind: 'consumer' });
      return await current.run(this, turn);
    } catch (thrown) {
      this.#leave();
      const { attempts } = this.#lane;
      const error = toAppError(thrown, '').code;
      this.#record('turn broken off', { from: this.#claimedAt, error, attributes: { 'signalbox.attempts': attempts } });
      throw thrown;
    }
  }

  readonly enter = (phase: Phase): void => {
    const state = phase === 'TERMINAL' ? 'respond' : getControlState(phase);
    if (state) this.#turnTo(state);
  };

  async call(actionId: string, run: () => Promise<ToolCallResult>): Promise<ToolCallResult> {
    const from = this.#now();
    const key = `call:${actionId}`;
    this.#leave();
    this.#call = key;
    try {
      const result = await run();
      this.#leave();
      this.#recordCall({ actionId, from, result, key });
      return result;
    } finally {
      this.#leave();
      this.#call = null;
    }
  }

  async resume<T>(actionId: string, run: () => Promise<T>, resultOf: (came: T) => ToolCallResult | null): Promise<T> {
    const from = this.#now();
    const came = await run();
    this.#leave();
    const result = resultOf(came);
    if (result) this.#recordCall({ actionId, from, result });
    return came;
  }

  #recordCall({ actionId, from, result, ...named }: Called): void {
    const { ok, code, changed, decided } = result;
    const effect = decided?.decision.effect ?? null;
    this.#isWaiting ||= ok && !changed && (effect === 'ask' || effect === 'confirm');
    // A name that a model made up is not recorded.
    const tool = decided?.action.tool ?? 'unknown';
    this.#record(`execute_tool ${tool}`, {
      from,
      ...named,
      error: ok ? null : (code ?? 'INTERNAL'),
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': actionId,
        'signalbox.tool.class': decided?.action.assessment.risk ?? null,
        'signalbox.tool.decision': effect,
        'signalbox.tool.changed': changed,
        'langfuse.observation.type': 'tool',
      },
    });
  }

  async commit<T>(end: TurnEnd, write: () => Promise<T>): Promise<T> {
    const { turn, outcomes } = end;
    if (this.#isWaiting) this.#turnTo('await_confirmation');
    this.#leave();
    const from = this.#now();
    const written = await write();
    this.#record('commit', { from, kind: 'producer' });
    const last = outcomes.at(-1)?.outcome ?? null;
    this.#record(`invoke_agent ${this.#agent}`, {
      from: this.#begunAt(),
      key: this.#key,
      parent: goesOnWith(this.#first),
      remote: readRemote(this.#first),
      error: turn?.outcome === 'failed' ? 'failed' : null,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'langfuse.trace.name': `turn of ${this.#agent}`,
        'langfuse.trace.tags': [this.#agent, getChannel(this.#first.chatKey)],
        'langfuse.observation.type': 'agent',
        'signalbox.turn_id': turn?.turnId ?? null,
        'signalbox.channel': getChannel(this.#first.chatKey),
        'signalbox.kind': this.#first.kind,
        'signalbox.outcome': turn?.outcome ?? last,
        'signalbox.messages': outcomes.length,
        'signalbox.passes': turn?.passes ?? 0,
        'signalbox.tool_calls': turn?.toolCalls ?? 0,
        'signalbox.replies': end.replies.length,
      },
    });
    this.#recordMerged(outcomes);
    return written;
  }

  /** Links the traces of messages that were answered together to the answered message. */
  #recordMerged(outcomes: TurnEnd['outcomes']): void {
    for (const { id, envelope } of this.#lane.messages) {
      if (envelope.traceId === this.#first.traceId || !outcomes.some((one) => one.id === id)) continue;
      this.#tracing.record({
        name: 'turn of another message',
        traceId: envelope.traceId,
        key: ROOT_SPAN_KEY,
        parent: null,
        from: (readRemote(envelope) ? null : readIdTime(envelope.traceId)) ?? this.#claimedAt,
        remote: readRemote(envelope),
        until: this.#now(),
        attributes: this.#head,
        links: [this.#first.traceId],
      });
    }
  }

  asked({ model: name, result, durationMs, served = null }: Parameters<NonNullable<ModelObserver['onCall']>>[0]): void {
    const sum = (pick: (spend: ModelSpend) => number): number => this.#spent.reduce((all, one) => all + pick(one), 0);
    const until = this.#now();
    const { provider, model } = readModelName(name);
    this.#record(`chat ${model}`, {
      kind: provider === OWN_PROVIDER ? 'internal' : 'client',
      from: until - durationMs,
      parent: this.#call ?? this.#key,
      error: result === 'answered' ? null : result,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'gen_ai.response.model': served,
        'gen_ai.usage.input_tokens': sum(({ inputTokens }) => inputTokens),
        'gen_ai.usage.output_tokens': sum(({ outputTokens }) => outputTokens),
        'langfuse.observation.type': 'generation',
      },
    });
    this.#spent = [];
  }

  spent(spend: ModelSpend): void {
    this.#spent.push(spend);
  }

  #turnTo(name: ControlState): void {
    this.#leave();
    this.#state = { name, from: this.#now(), parent: this.#call ?? this.#key };
  }

  #leave(): void {
    if (this.#state === null) return;
    const { name, from, parent } = this.#state;
    this.#state = null;
    this.#record(name, { from, parent, attributes: { 'signalbox.control_state': name } });
  }

  #record(
    name: string,
    {
      from,
      until = this.#now(),
      key,
      remote = null,
      kind = 'internal',
      parent = this.#key,
      error = null,
      attributes = {},
    }: Noted,
  ): void {
    const span = { name, kind, traceId: this.#first.traceId, parent, from, until, errorCode: error };
    this.#tracing.record({
      ...span,
      remote,
      ...(key === undefined ? {} : { key }),
      attributes: { ...this.#head, ...attributes },
    });
  }

  /** Returns the time when the gateway received the message, or the runtime's event was stored. */
  #begunAt(): number {
    const { kind, traceId, at } = this.#first;
    const isOwn = readRemote(this.#first) === null; // the id of another program's trace holds no time
    const ms = isOwn && (kind === 'message' || kind === 'command') ? readIdTime(traceId) : Date.parse(at);
    return Math.min(ms ?? this.#claimedAt, this.#claimedAt);
  }

  /** Reads the database's clock, as for all times of a turn. */
  #now(): number {
    return this.#lane.now().getTime();
  }
}

interface Called {
  readonly actionId: string;
  readonly from: number;
  readonly result: ToolCallResult;
  readonly key?: string;
}

interface Noted {
  readonly from: number;
  readonly until?: number;
  readonly key?: string;
  readonly kind?: SpanSide;
  readonly remote?: RemoteSpan | null;
  readonly parent?: string | null;
  readonly error?: string | null;
  readonly attributes?: SpanAttributes;
}

/** Returns the span of the program that sent the message. */
function readRemote(envelope: InboxMessage['envelope']): RemoteSpan | null {
  return envelope.kind === 'message' ? parseTraceparent(envelope.traceparent) : null;
}

/** Splits `provider:model`; a model that runs within Signalbox has no provider. */
function readModelName(name: string): { readonly provider: string; readonly model: string } {
  const [, provider, model] = /^([^:]+):(.+)$/.exec(name) ?? [];
  if (provider === undefined || model === undefined) return { provider: OWN_PROVIDER, model: name };
  return { provider: PROVIDERS[provider] ?? provider, model };
}

/** Returns the key of the action that this message continues; null when the message starts something. */
function goesOnWith(envelope: InboxMessage['envelope']): string | null {
  if (envelope.kind === 'job-finished') return `run:${envelope.runId}`;
  return envelope.kind === 'decision' ? `call:${envelope.actionId}` : null;
}
