import type {
  ExecutionTurn,
  PromptContext,
  RecordedAnswer,
  RecordedRequest,
  RecordedCall,
  RecordedTurnRun,
} from '@signalbox/contracts/governance/execution-turn';

/** Why a replayed run ends before its graph does. */
export type HaltReason =
  /** The worker's process died at this event, and the next run continued. */
  | { readonly kind: 'resume' }
  /** The turn was stopped, or failed, at this event. */
  | { readonly kind: 'cut' }
  /** The replayed conversation differs from the recorded one. */
  | { readonly kind: 'differs'; readonly what: string; readonly recorded: string; readonly now: string }
  | { readonly kind: 'unreplayable'; readonly why: string };

type Step =
  | {
      readonly kind: 'ask';
      readonly run: RecordedTurnRun;
      readonly ask: RecordedRequest;
      readonly answer: RecordedAnswer;
    }
  | { readonly kind: 'act'; readonly run: RecordedTurnRun; readonly record: ExecutionTurn };

/** Base tools whose result is in the record alone. */
const SEARCHES: ReadonlySet<string> = new Set(['search_knowledge', 'read_result']);

/** Thrown to leave the graph. The reason is stored in the cursor, because a library may wrap errors. */
class Halted extends Error {}

/** The position of a replay in its turn's record. A request that was never recorded halts the run; `halt` gives the reason. */
export class ReplayCursor {
  halt: HaltReason | null = null;
  readonly #steps: readonly Step[];
  readonly #ended: NonNullable<ExecutionTurn['ended']>;
  #next = 0;
  #run: RecordedTurnRun;
  #names: Readonly<Record<string, readonly string[]>> = {};
  #context: PromptContext | null = null;
  #offered: readonly string[] = [];
  #searches: readonly RecordedCall[] = [];

  constructor(records: readonly ExecutionTurn[], ended: NonNullable<ExecutionTurn['ended']>) {
    this.#steps = records.flatMap(stepsOf);
    this.#ended = ended;
    this.#run = this.nextRun();
  }

  /** Returns the run of the next event; at the end, the run that ended the turn. */
  nextRun(): RecordedTurnRun {
    return this.#steps[this.#next]?.run ?? this.#ended.run;
  }

  begin(): RecordedTurnRun {
    this.halt = null;
    this.#run = this.nextRun();
    return this.#run;
  }

  /** True when the record has another run after this run. */
  goesOn(): boolean {
    return this.#next < this.#steps.length || this.#run.turnId !== this.#ended.run.turnId;
  }

  stop(halt: HaltReason): never {
    this.halt = halt;
    throw new Halted(halt.kind);
  }

  /** True when the next event is an answer of a model, to this node where one is named, or the run has ended. */
  asksNext(node?: string): boolean {
    const step = this.#steps[this.#next];
    if (node !== undefined) return step?.kind === 'ask' && step.ask.node === node;
    if (step) return step.kind === 'ask';
    return this.#run.turnId !== this.#ended.run.turnId || this.#ended.note !== null;
  }

  ask(node: string): { readonly answer: RecordedAnswer; readonly model: string } {
    const step = this.#step('ask', `another question to the model of ${node}`);
    if (step.ask.node !== node)
      this.stop({ kind: 'differs', what: 'order of the nodes', recorded: step.ask.node, now: node });
    this.#next += 1;
    if (step.ask.facts.names) this.#names = step.ask.facts.names;
    if (step.ask.facts.context) this.#context = step.ask.facts.context;
    if (step.ask.facts.offered) this.#offered = step.ask.facts.offered;
    return { answer: step.answer, model: step.ask.model };
  }

  /** The record of the calls that run next. */
  act(): ExecutionTurn {
    const { record } = this.#step('act', 'calls of tools');
    this.#next += 1;
    const searched = new Set(record.answer?.calls.filter(({ name }) => SEARCHES.has(name)).map(({ id }) => id));
    // A call with invalid arguments searched nothing.
    this.#searches = record.calls.filter(
      ({ callId, result }) => searched.has(callId) && result.code !== 'TOOL_INPUT_INVALID',
    );
    return record;
  }

  /** The result of the next search, in the order of the calls. */
  search(): RecordedCall {
    const [call, ...rest] = this.#searches;
    if (!call) this.stop({ kind: 'differs', what: 'searches', recorded: 'no more', now: 'another one' });
    this.#searches = rest;
    return call;
  }

  names(): Readonly<Record<string, readonly string[]>> {
    return this.#upcoming()?.names ?? this.#names;
  }

  /** The facts about the person in the next prompt that has any; null in older records. */
  context(): PromptContext | null {
    const steps = this.#steps.slice(this.#next);
    const told = steps.flatMap((step) => (step.kind === 'ask' ? [step.ask.facts.context] : []));
    return told.find((context) => context !== undefined) ?? this.#context;
  }

  /** The groups that the next prompt offers; in older records, none. */
  offered(): readonly string[] {
    return this.#upcoming()?.offered ?? this.#offered;
  }

  groups(loaded: readonly string[]): readonly string[] {
    const upcoming = this.#upcoming();
    return upcoming ? loaded.filter((group) => upcoming.groups.includes(group)) : loaded;
  }

  /** The results of open calls at the next model request. */
  calls(): NonNullable<RecordedRequest['facts']['calls']> {
    return this.#upcoming()?.calls ?? {};
  }

  #upcoming(): RecordedRequest['facts'] | undefined {
    return this.#steps.slice(this.#next).find((step) => step.kind === 'ask')?.ask.facts;
  }

  #step<K extends Step['kind']>(kind: K, now: string): Extract<Step, { kind: K }> {
    const step = this.#steps[this.#next];
    if (step && step.run.turnId !== this.#run.turnId) this.stop({ kind: 'resume' });
    if (!step && this.#run.turnId !== this.#ended.run.turnId) this.stop({ kind: 'resume' });
    if (!step && this.#ended.note !== null) this.stop({ kind: 'cut' });
    if (step?.kind !== kind) this.stop({ kind: 'differs', what: 'steps', recorded: nameOf(step), now });
    return step as Extract<Step, { kind: K }>; // the line above checks the kind
  }
}

function nameOf(step: Step | undefined): string {
  if (!step) return 'the end of the turn';
  return step.kind === 'ask' ? `a question to the model of ${step.ask.node}` : 'calls of tools';
}

function stepsOf(record: ExecutionTurn): readonly Step[] {
  const { asks, answer, runs } = record;
  const own = asks.at(-1)?.node;
  const steps: Step[] = asks.flatMap((ask) => {
    const run = runs.asked && ask.node === own ? runs.asked : runs.read;
    const given = ask.answer ?? answer;
    return run && given ? [{ kind: 'ask' as const, run, ask, answer: given }] : [];
  });
  return runs.acted ? [...steps, { kind: 'act', run: runs.acted, record }] : steps;
}
