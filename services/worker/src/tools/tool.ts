import { z } from 'zod';
import type { ActionKind, ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import * as fields from '@signalbox/contracts/conversation/fields';
import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { JobName, JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Artifact } from '@signalbox/store/artifacts';
import type { AppError } from '@signalbox/contracts/errors';
import { collectTexts } from '@signalbox/contracts/governance/outside';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { DeclaredValues } from '@signalbox/safety/cards/essential';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { ActionPreview, RiskWithReasons } from '@signalbox/governance/calls/tool';
import { listMadeValues, wrapOutsideFields, pickEvidence, type Origins, type OriginsOf } from './origins.ts';
import type { Ports, PortName } from './ports/ports.ts';

export type { ActionPreview, ResolvedRefs, Risk, RiskWithReasons };

/** What a preview may read. A preview changes nothing. */
export interface LookUpContext {
  readonly ports: Ports;
}

/** What a preview may use besides the arguments. */
export interface PreviewContext extends LookUpContext {
  /** The resolved arguments that were decided about; null without a look-up. */
  readonly resolved: ResolvedRefs | null;
}

/** What a look-up of arguments may use. A look-up changes nothing. */
export interface ResolveContext extends LookUpContext {
  readonly threadId: string;
  /** The result of the look-up at the time of the proposal; null the first time. */
  readonly before: ResolvedRefs | null;
  /** Runs a look-up job within the deadline of look-ups. Throws JOB_FAILED, NOT_RESOLVED. */
  work<N extends JobName>(job: N, payload: JobPayload<N>): Promise<JobResult<N>>;
}

/** The choices for the values of an argument. `given`: the other arguments known so far, unparsed. */
export interface ArgumentChoices {
  /** Lists the values, the likeliest first; empty when unknown. Errors count as no choices. */
  list(given: Readonly<Record<string, unknown>>, look: ResolveContext): Promise<readonly string[]>;
  /** True when something has exactly this name: a word such as `newest` then means that name. */
  has(given: Readonly<Record<string, unknown>>, name: string, look: ResolveContext): Promise<boolean>;
}

/** The result of looking up an effect whose result was lost. */
export type ProbeResult<O> =
  | { readonly kind: 'done'; readonly output: O }
  | { readonly kind: 'failed'; readonly error: AppError }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'unknown' };

/** The result of a job that a tool waited for, or a note that it is still running and the person gets a message at its end. */
export type JobWait<R> =
  { readonly kind: 'done'; readonly result: R } | { readonly kind: 'goes-on'; readonly runId: string };

/** Everything that a running tool may use. */
export interface ToolContext {
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly threadId: string;
  /** The idempotency key of this call, equal in a resumed turn. Effects carry it. */
  readonly actionId: string;
  /** Fires at the tool's deadline, on /stop, and when the lane is lost. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Sends a message at once. Messages with the same slot replace one another. */
  say(text: string, options?: { readonly slot?: string }): Promise<void>;
  /** Starts a job. A repeated action id starts nothing new. */
  enqueue<N extends JobName>(job: N, payload: JobPayload<N>): Promise<{ readonly runId: string }>;
  /** Runs a job until shortly before the tool's deadline. A repeated action id returns the first result. Throws JOB_FAILED. */
  work<N extends JobName>(job: N, payload: JobPayload<N>): Promise<JobWait<JobResult<N>>>;
  /** Finds what this action wrote to our database in the transaction of its effect; null when nothing was written. */
  wrote(): Promise<{ readonly result: unknown } | null>;
  worked<N extends JobName>(job: N): Promise<ProbeResult<JobResult<N>>>;
  /** The resolved arguments that were decided about; null for a tool without a look-up. */
  readonly resolved: ResolvedRefs | null;
  /** The ports that the group declared in `uses`; access to another port throws. */
  readonly ports: Ports;
}

const issued = new WeakSet<ToolContext>();

/** Marks a context as made by governance after its decision; handlers run only with a marked context. Only tools/run.ts calls this. */
export function issueContext(context: ToolContext): ToolContext {
  issued.add(context);
  return context;
}

function mustBeIssued(context: ToolContext): void {
  if (issued.has(context)) return;
  throw new Error(
    'A handler was called outside of governance, so it did nothing. Effects are proposed with run.call(), which decides and runs them.',
  );
}

const FILES = Symbol('files');

export interface WithFiles<O> {
  readonly output: O;
  readonly [FILES]: readonly Artifact[];
}

/** Returns files beside a result: at most ten of 20 MB, sent after the answer. The model reads only their names. */
export function withFiles<O>(output: O, files: readonly Artifact[]): WithFiles<O> {
  return { output, [FILES]: files };
}

/** Splits a handler's return value into result and files. */
export function unpackResult(returned: unknown): { readonly output: unknown; readonly files: readonly Artifact[] } {
  if (typeof returned !== 'object' || returned === null || !(FILES in returned)) return { output: returned, files: [] };
  const { output, [FILES]: files } = returned as WithFiles<unknown>; // only `withFiles` knows the symbol
  return { output, files };
}

export interface ToolSpec<I extends z.ZodType, O> {
  readonly describe: string;
  /** Phrases with which people ask for this tool: they teach a model, and tests check that they lead to this tool. */
  readonly hints: readonly string[];
  /**
   * Arguments. `.meta({ entity: 'project', ask: 'Which project?' })` names a field's kind of entity and its question; `isAsked`: the
   * built-in planner asks for it, although a model may leave it out.
   */
  readonly input: I;
  /** Arguments whose values the runtime can look up: for buttons under a question, and for “the newest”. */
  readonly choices?: Readonly<Record<string, ArgumentChoices>>;
  readonly risk: Risk | ((input: z.output<I>, resolved: ResolvedRefs | null) => Risk | RiskWithReasons);
  /**
   * Resolves the arguments before policy is asked: `main` becomes this commit, on this server. The result is on the approval card, in the
   * action's hash and in `context.resolved`. It is resolved again when an approval is used, and a difference voids the approval. Null:
   * nothing to resolve. A thrown error refuses the call before anybody is asked. Reads only.
   */
  readonly resolve?: (input: z.output<I>, look: ResolveContext) => Promise<ResolvedRefs | null>;
  readonly kind?: ActionKind;
  /** The environment of the effect, for policy; `none` by default. */
  readonly environment?: (input: z.output<I>) => ActionEnvironment;
  /** The affected resources, for policy and the approver: `project:shop`. */
  readonly resources?: (input: z.output<I>, resolved: ResolvedRefs | null) => readonly string[];
  /**
   * The text for an approver; without it the approval card shows the arguments. It may read through ports, and is computed again when the
   * approval is used: a difference voids the approval. A thrown error refuses the action.
   */
  readonly preview?: (input: z.output<I>, look: PreviewContext) => ActionPreview | Promise<ActionPreview>;
  /**
   * Values that the preview's `what`, `change` or `reach` contains in full, by argument name or as `→ name` for resolved values: the
   * approval card then omits their own line. A value that is missing from the text, or truncated, keeps its line.
   */
  readonly told?: readonly string[];
  /**
   * Resolved values that nobody needs for a decision, such as digests and logins, as `→ name` or `→ name.member`, and arguments by name
   * that a sentence of the card puts into words. They are in the hash and visible on request; the approval card shows all others.
   */
  readonly derived?: readonly string[] | ((resolved: ResolvedRefs) => readonly string[]);
  /** Arguments that may be a secret's handle, opened at its use. Other arguments refuse handles. */
  readonly handles?: readonly string[];
  /** Where the newest rows of its result are; a long result keeps those. Default: first. */
  readonly newest?: 'last';
  readonly touchesPrivate?: boolean;
  /** True when the tool can send data out of the system: to an address from its arguments or stored data, or through a program. */
  readonly egress: boolean;
  /**
   * Looks up by action id whether an effect took place, when its result was lost: through `wrote` for rows of our database and `worked`
   * for jobs. Reads only. Without it, a person is asked once.
   */
  readonly probe?: (input: z.output<I>, context: ToolContext) => Promise<ProbeResult<O>>;
  readonly role: Role;
  /** The name of the lock that the call holds while it runs; null: none. */
  readonly lock?: (input: z.output<I>) => string | null;
  readonly deadlineMs: number;
  /** `harmless`: a repetition with the same action id changes nothing more, as with reads and effects keyed by the id. */
  readonly replay: 'harmless' | 'unknown';
  /** True when receipts show the order, because the tool's name says less. */
  readonly hasSpokenReceipt?: true;
  /** True when the arguments are the steps of a plan, which governance runs itself: `run` is never called. */
  readonly isPlan?: true;
  /** Conditions that a result can meet, for the next step of a plan: a verdict about health, an exit code. */
  readonly meets?: Readonly<Partial<Record<StepCondition, (output: O) => boolean>>>;
  /**
   * Names of resolved values that this call changes for later steps of a plan about these resources, as `listChanges` has them: such a
   * change is no surprise.
   */
  readonly alters?: (input: z.output<I>, resources: readonly string[]) => readonly string[];
  readonly phrases: {
    readonly done: (output: O, input: z.output<I>) => string;
    /** The call as an order: “Deploy shop 1.4 to staging”. For people who choose among calls. */
    readonly order?: (input: z.output<I>) => string;
    /**
     * Next actions as buttons under the answer: a press says the button's value, which is decided like typed words. A button whose label
     * names the whole call in `does` confirms exactly that call: see governance/offers.ts.
     */
    readonly next?: (output: O, input: z.output<I>) => readonly ActionButton[];
  };
  run(input: z.output<I>, context: ToolContext): Promise<O | WithFiles<O>>;
}

/** A tool that only reads our own records, which every reader may see, and answers at once. */
export const LOOK_UP_DEFAULTS = {
  risk: 'safe',
  role: 'viewer',
  egress: false,
  deadlineMs: 5_000,
  replay: 'harmless',
} as const;

/** A tool that reads more than our own records, such as files and logs. Each such tool sets its own deadline. */
export const READ_DEFAULTS = { risk: 'safe', role: 'developer', egress: false, replay: 'harmless' } as const;

/** A tool whose effect is keyed by its action id, and sends nothing out. Each such tool sets its own deadline. */
export const CHANGE_DEFAULTS = { risk: 'sensitive', role: 'developer', egress: false, replay: 'harmless' } as const;

export interface ToolGroup {
  readonly name: string;
  readonly summary: string;
  /** The only agent that may see and call the group's tools; absent: all agents. */
  readonly owner?: string;
  readonly uses: readonly PortName[];
  readonly tools: Readonly<Record<string, Tool>>;
}

// Creates a schema of optional arguments. `what`: their purpose, and the default. `ask`: the question for a value.

export const optionalProject = (what: string) =>
  fields.ProjectName.optional().describe(what).meta({ entity: 'project', ask: 'Of which project?' });

export const optionalServer = (what: string, ask: string) =>
  fields.ServerName.optional().describe(what).meta({ entity: 'server', ask });

export const optionalEnvironment = (what: string, ask: string) =>
  fields.Environment.optional().describe(what).meta({ entity: 'environment', ask });

/** A tool whose types were checked at its declaration; the registry validates input before a call. */
export type Tool = ReturnType<typeof createTool>;

/**
 * Declares one tool. Its functions are only called with input that `spec.input` has parsed. `from` declares where each field of the
 * result comes from (see origins.ts): text from outside reaches a model only in an envelope, and fields of the runtime back what it says.
 */
export function tool<I extends z.ZodType, O>(spec: ToolSpec<I, O>) {
  return { from: (origins: OriginsOf<O>) => createTool(spec, origins as Origins) }; // OriginsOf checks its members
}

function createTool<I extends z.ZodType, O>(spec: ToolSpec<I, O>, origins: Origins) {
  // The registry parses with spec.input before it calls, so `unknown` is the schema's output here; `run` made the output.
  const typed = (input: unknown): z.output<I> => input as z.output<I>;
  const { resolve, probe, phrases } = spec;
  let version: string | undefined;
  return {
    describe: spec.describe,
    hints: spec.hints,
    input: spec.input,
    choices: { ...spec.choices },
    role: spec.role,
    deadlineMs: spec.deadlineMs,
    replay: spec.replay,
    isPlan: spec.isPlan === true,
    hasSpokenReceipt: spec.hasSpokenReceipt === true,
    measures: Object.keys(spec.meets ?? {}) as StepCondition[], // the keys of the record above
    /** Lists the conditions that a result meets. Pure. */
    meets: (output: unknown): readonly StepCondition[] =>
      Object.entries(spec.meets ?? {}).flatMap(
        ([name, holds]) => (holds(output as O) ? [name as StepCondition] : []), // `run` returned a value of this type
      ),
    alters: (input: unknown, resources: readonly string[]) => spec.alters?.(typed(input), resources) ?? [],
    /** SHA-256 of the input schema: a changed meaning of arguments voids an approval. */
    version: () => (version ??= hashCanonical(z.toJSONSchema(spec.input, { io: 'input', target: 'draft-7' }))),
    kind: spec.kind ?? 'tool_call',
    handles: spec.handles ?? [],
    /** Puts what came from outside into envelopes. `source`: the tool's name; `input`: the arguments, which the model knows. Pure. */
    enclose: (source: string, result: unknown, input: unknown) =>
      wrapOutsideFields(result, origins, source, collectTexts(input)),
    /** Lists the values of a result that the runtime made: see origins.ts. Pure. */
    made: (result: unknown, input: unknown) => listMadeValues(result, origins, collectTexts(input)),
    /** Picks the part of an enclosed result that backs a model's statements. Pure. */
    evidence: (result: unknown) => pickEvidence(result, origins),
    newest: spec.newest ?? 'first',
    touchesPrivate: spec.touchesPrivate ?? false,
    egress: spec.egress,
    isRead: spec.risk === 'safe',
    risk(input: unknown, resolved: ResolvedRefs | null = null): RiskWithReasons {
      const found = typeof spec.risk === 'function' ? spec.risk(typed(input), resolved) : spec.risk;
      return typeof found === 'string' ? { risk: found, reasons: [] } : found;
    },
    /** Null when the tool has nothing to resolve. */
    resolve: resolve ? async (input: unknown, look: ResolveContext) => resolve(typed(input), look) : null,
    environment: (input: unknown): ActionEnvironment => spec.environment?.(typed(input)) ?? 'none',
    resources: (input: unknown, resolved: ResolvedRefs | null = null) => spec.resources?.(typed(input), resolved) ?? [],
    preview: async (input: unknown, look: PreviewContext) => (await spec.preview?.(typed(input), look)) ?? null,
    values: (resolved: ResolvedRefs | null): DeclaredValues => ({
      told: spec.told ?? [],
      derived: typeof spec.derived === 'function' ? spec.derived(resolved ?? {}) : (spec.derived ?? []),
    }),
    /** Null when the tool cannot look up its effect. */
    probe: probe
      ? async (input: unknown, context: ToolContext): Promise<ProbeResult<unknown>> => {
          mustBeIssued(context);
          return probe(typed(input), context);
        }
      : null,
    lock: (input: unknown) => spec.lock?.(typed(input)) ?? null,
    // `run` returned a value of this type
    done: (output: unknown, input: unknown) => phrases.done(output as O, typed(input)),
    next: (output: unknown, input: unknown) => phrases.next?.(output as O, typed(input)) ?? [], // `run` returned a value of this type
    /** Returns null when the tool has no such sentence, or the arguments are invalid. */
    order(args: unknown): string | null {
      const input = spec.input.safeParse(args);
      return input.success ? (phrases.order?.(input.data) ?? null) : null;
    },
    async run(input: unknown, context: ToolContext): Promise<unknown> {
      mustBeIssued(context);
      return spec.run(typed(input), context);
    },
  };
}

/** Declares a capability group: the default export of a file in capabilities/. */
export function toolGroup(group: ToolGroup): ToolGroup {
  return group;
}
