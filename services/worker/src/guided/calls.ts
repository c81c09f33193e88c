import { readMadeValue } from '@signalbox/contracts/governance/field-key';
import { makeCallId } from '@signalbox/contracts/ids';
import { openOutside } from '@signalbox/contracts/governance/outside';
import { makeStorable } from '@signalbox/contracts/storable';
import type { RecordedResult } from '@signalbox/contracts/governance/execution-turn';
import { toCanonicalJson } from '@signalbox/safety/cards/canonical';
import { redactValue } from '@signalbox/safety/redact/redact';
import { hashValue } from '../agents/model-context.ts';
import type { TextInView, ToolCallResult } from '@signalbox/governance/calls/call';
import { listNodeRecords, type RunContext } from './extras.ts';
import { readView, traceBorrowed, type ActReader } from './provenance.ts';
import type { GuidedState, NodeRecord } from './state.ts';

type Acted = Extract<NodeRecord, { kind: 'acted' }>;

/** The tool calls of one node. They are one proposal, like an answer of a model: governed one after another, judged together. */
export class NodeCalls {
  readonly #extras: RunContext;
  readonly #state: GuidedState;
  readonly #groups: readonly string[];
  readonly #readAgain: ActReader;
  readonly #answerId: string;
  readonly #calls: Acted['calls'] = [];

  constructor(
    extras: RunContext,
    state: GuidedState,
    { groups, readAgain }: { readonly groups: readonly string[]; readonly readAgain: ActReader },
  ) {
    this.#extras = extras;
    this.#state = state;
    this.#groups = groups;
    this.#readAgain = readAgain;
    const before = this.#acted().length;
    // Numbers answers within the turn, so that a node that runs again after a crash gives its calls the same ids.
    this.#answerId = extras.run.answerId(extras.turnKey, before + 1);
  }

  /** Proposes one call. Refusals and failures are results; only errors that end the turn are thrown, such as LANE_LOST. */
  async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolCallResult> {
    const { run } = this.#extras;
    run.signal.throwIfAborted();
    if (this.#calls.length === 0) this.#begin();
    const callId = makeCallId(this.#answerId, this.#calls.length);
    const startedAt = performance.now();
    const given = makeStorable({ ...args });
    const result = await run.call({ callId, tool, args: given, groups: this.#groups, view: this.#view() });
    const recorded = recordResult(result);
    this.#calls.push({
      callId,
      tool,
      args: given,
      decided: result.decided ?? null,
      result: recorded,
      seen: hashValue(redactValue([recorded.ok, recorded.result ?? null, recorded.code])),
      durationMs: Math.round(performance.now() - startedAt),
    });
    // A node reads fields; no model reads this.
    return { ...result, result: openOutside(result.result) };
  }

  /** Ends the node: the judge checks its calls. Null when the node made no calls. */
  async end(passes: { readonly maxPasses: number }): Promise<Acted | null> {
    if (this.#calls.length === 0) return null;
    const { run, turnKey, recorded } = this.#extras;
    run.enter('EVALUATING');
    const acted = this.#acted();
    const calls = [...acted.flatMap((part) => part.calls), ...this.#calls];
    const failures = calls
      .filter(({ result }) => !result.ok)
      .map(({ tool, args }) => toCanonicalJson({ tool, args: JSON.parse(JSON.stringify(args)) }));
    const facts = { passes: acted.length + 1, ...passes, isWaiting: false, isFinished: false, failures };
    const outcome = await run.judge(facts);
    const phases = [...run.path()];
    return {
      kind: 'acted',
      turnKey,
      run: recorded,
      answerId: this.#answerId,
      phases,
      calls: [...this.#calls],
      outcome,
    };
  }

  /** Traces what text from outside has led to: its values among what the node changed, and results that hold such text. */
  trace(before: unknown, after: unknown): Pick<GuidedState, 'outside' | 'borrowed'> {
    const isOutside = this.#calls.some(({ result }) => result.untrusted === true);
    return {
      outside: this.#state.outside || isOutside,
      borrowed: traceBorrowed(this.#state, { before, after, made: this.#made() }),
    };
  }

  #view(): TextInView | null {
    const { run } = this.#extras;
    const ask: TextInView['ask'] = ({ words }) => this.#readAgain(this.#state, run, words);
    return readView(this.#state, { domain: this.#state.domain, made: this.#made(), ask });
  }

  /** Lists what the runtime made in this turn. Code and no model puts these values into a call, so each fits any field. */
  #made(): readonly string[] {
    const calls = [...this.#acted().flatMap((part) => part.calls), ...this.#calls];
    return calls.flatMap(({ result }) => (result.made ?? []).map(readMadeValue));
  }

  #acted(): readonly Acted[] {
    return listNodeRecords(this.#state, this.#extras.turnKey).filter((part) => part.kind === 'acted');
  }

  /** A pass starts with THINKING, unless a resumed run continues a pass. */
  #begin(): void {
    const { run } = this.#extras;
    if (run.path().at(-1) === 'EVALUATING') run.enter('THINKING');
    run.enter('PROPOSING');
  }
}

function recordResult(result: ToolCallResult): RecordedResult {
  const { ok, say, code, changed, untrusted, made, next, files } = result;
  const json: unknown = result.result === undefined ? undefined : JSON.parse(JSON.stringify(result.result) ?? 'null');
  return {
    ok,
    ...(json === undefined ? {} : { result: json as NonNullable<RecordedResult['result']> }), // JSON.parse made this value
    say,
    code,
    changed,
    ...(untrusted ? { untrusted } : {}),
    ...(made ? { made: [...made] } : {}),
    ...(next && next.length > 0 ? { next: next.map(({ label, value }) => ({ label, value })) } : {}),
    ...(files && files.length > 0 ? { files: [...files] } : {}),
  };
}
