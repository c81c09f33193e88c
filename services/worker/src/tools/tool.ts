import { z } from 'zod';
import type { ActionKind, Environment, Risk } from '@signalbox/contracts/governance/action';
import * as fields from '@signalbox/contracts/conversation/fields';
import type { ActionButton } from '@signalbox/contracts/conversation/envelope';
import type { JobName, JobPayload, JobResult } from '@signalbox/contracts/operations/jobs';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { Artifact } from '@signalbox/store/artifacts';
import type { AppError } from '@signalbox/contracts/errors';
import { holdsForeignText } from '@signalbox/contracts/governance/outside';
import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { DeclaredValues } from '@signalbox/safety/cards/essential';
import type { Resolved } from '@signalbox/safety/cards/resolved';
import type { Preview, RiskWithReasons } from '@signalbox/governance/calls/tool';
import type { Ports, PortName } from './ports/ports.ts';

export type { Preview, Resolved, Risk, RiskWithReasons };

/** What a preview may look at. It changes nothing. */
export interface Look {
  readonly ports: Ports;
}

/** What a preview is made from besides the arguments. */
export interface Previewing extends Look {
  /** The meaning of the arguments that was decided about; null without a look-up. */
  readonly resolved: Resolved | null;
}

/** What looking up what the arguments stand for may use. It changes nothing. */
export interface Resolving extends Look {
  readonly threadId: string;
  /** The look-up at the time of the proposal, null the first time. Open values stay as found then. */
  readonly before: Resolved | null;
  /** Has a job look something up within the deadline of look-ups. Throws JOB_FAILED, NOT_RESOLVED. */
  work<N extends JobName>(job: N, payload: JobPayload<N>): Promise<JobResult<N>>;
}

/** Where the values of an argument are found that a person may choose from. `given`: the other arguments, as far as they are known, unparsed. */
export interface Choices {
  /** The likeliest first; empty when unknown. Its errors count as none. */
  list(given: Readonly<Record<string, unknown>>, look: Resolving): Promise<readonly string[]>;
  /** True when such a name exists: then a word such as `newest` is that name. */
  has(given: Readonly<Record<string, unknown>>, name: string, look: Resolving): Promise<boolean>;
}

/** What became of an effect whose result was lost, looked up where it happened. */
export type Probed<O> =
  | { readonly kind: 'done'; readonly output: O }
  | { readonly kind: 'failed'; readonly error: AppError }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'unknown' };

/** What came of a job that a tool waited for: its result, or that it takes longer and the person is told at its end. */
export type Worked<R> =
  { readonly kind: 'done'; readonly result: R } | { readonly kind: 'goes-on'; readonly runId: string };

/** All that a running tool may touch. */
export interface ToolContext {
  readonly actor: { readonly userKey: string; readonly name: string; readonly role: Role };
  readonly threadId: string;
  /** The idempotency key of this call, the same in a resumed turn. Effects carry it. */
  readonly actionId: string;
  /** Fires at the tool's deadline, on /stop, and when the lane is lost. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Sends a message at once. Messages with the same slot replace one another. */
  say(text: string, options?: { readonly slot?: string }): Promise<void>;
  /** Starts a job. A repeated action id starts nothing new. */
  enqueue<N extends JobName>(job: N, payload: JobPayload<N>): Promise<{ readonly runId: string }>;
  /**
   * Has a job done and waits for its result, until shortly before the tool's deadline. /stop ends the job too. Throws JOB_FAILED.
   * Calling it again with the same action id starts nothing new and gives what came of the first.
   */
  work<N extends JobName>(job: N, payload: JobPayload<N>): Promise<Worked<JobResult<N>>>;
  /** The mark that this action committed together with its effect in our database; null when it wrote nothing. */
  wrote(): Promise<{ readonly result: unknown } | null>;
  /** The state of this action's job. */
  worked<N extends JobName>(job: N): Promise<Probed<JobResult<N>>>;
  /** The look-up that was decided about; null for a tool without one. */
  readonly resolved: Resolved | null;
  /** The ports that the group declared in `uses`; touching another one throws. */
  readonly ports: Ports;
}

const issued = new WeakSet<ToolContext>();

/**
 * Marks a context as made by governance, after it decided: handlers run with such a context and with no other. Only tools/run.ts
 * calls this.
 */
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

/** A result and the files that go with it. */
export interface WithFiles<O> {
  readonly output: O;
  readonly [FILES]: readonly Artifact[];
}

/**
 * What a tool returns to hand over files beside its result: at most ten of 20 MB. They are stored once per action and sent as
 * documents after the answer; the model reads the result and their names, never their bytes.
 */
export function withFiles<O>(output: O, files: readonly Artifact[]): WithFiles<O> {
  return { output, [FILES]: files };
}

/** The result and the files of what a tool has returned. */
export function unpackResult(returned: unknown): { readonly output: unknown; readonly files: readonly Artifact[] } {
  if (typeof returned !== 'object' || returned === null || !(FILES in returned)) return { output: returned, files: [] };
  const { output, [FILES]: files } = returned as WithFiles<unknown>; // only `withFiles` knows the symbol
  return { output, files };
}

export interface ToolSpec<I extends z.ZodType, O> {
  /** Its purpose in one sentence, for the model. */
  readonly describe: string;
  /** How people ask for it: teaches a model without training, and is tested to lead here. */
  readonly hints: readonly string[];
  /**
   * Arguments. A field's `.meta({ entity: 'project', ask: 'Which project do you mean?' })` names the kind of thing that fills it
   * and the question that is asked when it is missing.
   */
  readonly input: I;
  /** Arguments whose values the runtime can look up: for buttons under a question, and for “the newest”. */
  readonly choices?: Readonly<Record<string, Choices>>;
  readonly risk: Risk | ((input: z.output<I>, resolved: Resolved | null) => Risk | RiskWithReasons);
  /**
   * Looks up what the arguments stand for, before policy is asked: `main` is this commit, on this server. What it finds is on the
   * card, in the hash of the action and in `context.resolved`; it is looked up again when an approval is used, and anything else than
   * before voids it. Null: they stand for nothing else. What it throws refuses the call before anybody is asked. Reads only.
   */
  readonly resolve?: (input: z.output<I>, look: Resolving) => Promise<Resolved | null>;
  readonly kind?: ActionKind;
  /** The environment of the effect, for policy; `none` by default. */
  readonly environment?: (input: z.output<I>) => Environment;
  /** The affected resources, for policy and the approver: `project:shop`. */
  readonly resources?: (input: z.output<I>, resolved: Resolved | null) => readonly string[];
  /**
   * What an approver reads. Without it the card shows the arguments as they are. It may look things up through ports, and is computed
   * again when the approval is used: when anything differs from what was shown, the approval is void. When it throws, the action is refused.
   */
  readonly preview?: (input: z.output<I>, look: Previewing) => Preview | Promise<Preview>;
  /**
   * Values that `what`, `change` or `reach` of the preview say whole, by the name of the argument, or as `→ name` of what was looked up: they
   * need no line of their own on a card. One that is not there after all, or was cut, has one.
   */
  readonly told?: readonly string[];
  /**
   * What `resolve` finds that nobody decides by, as `→ name` or `→ name.member`, because it follows from another value: digests, logins.
   * It is bound all the same, and opens with one press. All that is not named here stands on the card.
   */
  readonly derived?: readonly string[] | ((resolved: Resolved) => readonly string[]);
  /** Arguments that may be a secret's handle, opened where it is used. Other arguments refuse handles. */
  readonly handles?: readonly string[];
  /**
   * What its result, and what it says, hold. `facts`: nothing but what the runtime itself made or measured (ids, numbers, states, times)
   * and what this call gave. `records`: also what people have told this system, such as names and descriptions, or what a repository
   * calls its versions; that is text from outside, but made to be an argument of the next call. Left out: text that anybody may
   * have written, as in logs, files, pages and commits.
   */
  readonly holds?: 'facts' | 'records' | 'text';
  /**
   * Where it holds more than facts: the fields of the result that the runtime itself made or measured all the same, as paths such as
   * `health.verdict`; a list is passed through. A result with no words in its other fields is no text from outside. Of a text, only
   * these back what a model says.
   */
  readonly madeHere?: readonly string[];
  /** It reads private data. */
  readonly touchesPrivate?: boolean;
  /** True when it can send data out of the system: to an address from its arguments or stored data, or through a program. */
  readonly egress: boolean;
  /**
   * Looks up whether an effect took place, by its action id, when the result was lost: `wrote` and `worked` of the context say it of what
   * is in our database and of jobs. Reads only. A tool without one leaves it to a person, who is asked once.
   */
  readonly probe?: (input: z.output<I>, context: ToolContext) => Promise<Probed<O>>;
  readonly role: Role;
  /** The name of a lock that one effect at a time holds; null: none. */
  readonly lock?: (input: z.output<I>) => string | null;
  readonly deadlineMs: number;
  /** True when a repetition with the same action id is harmless: reads, and effects keyed by it. */
  readonly replay: 'harmless' | 'unknown';
  readonly phrases: {
    readonly done: (output: O, input: z.output<I>) => string;
    /** The change of a call as an order: “Deploy shop 1.4 to staging”. For people who choose among calls. */
    readonly order?: (input: z.output<I>) => string;
    /**
     * What may be done next, as buttons under the answer: pressing one says its value, which is then decided like any words. One
     * whose label says the whole call that it `does` confirms exactly that call: see offers.ts of governance.
     */
    readonly next?: (output: O, input: z.output<I>) => readonly ActionButton[];
  };
  run(input: z.output<I>, context: ToolContext): Promise<O | WithFiles<O>>;
}

/** A tool that only looks into our own records, which anybody here may read, and answers at once. */
export const LOOK_UP = {
  risk: 'safe',
  role: 'viewer',
  holds: 'records',
  egress: false,
  deadlineMs: 5_000,
  replay: 'harmless',
} as const;

/** A tool that looks at more than our own records, such as files and logs. It says itself how long it takes. */
export const READ = { risk: 'safe', role: 'developer', egress: false, replay: 'harmless' } as const;

/** A tool whose effect is keyed by its action, and sends nothing out. It says itself how long it takes. */
export const CHANGE = { risk: 'sensitive', role: 'developer', egress: false, replay: 'harmless' } as const;

export interface ToolGroup {
  readonly name: string;
  readonly summary: string;
  /** The only agent that may see and call its tools; absent: all agents. */
  readonly owner?: string;
  readonly uses: readonly PortName[];
  readonly tools: Readonly<Record<string, Tool>>;
}

// Arguments that may be left out. `what`: what they are for, and what is meant without them. `ask`: the question for one.

export const optionalProject = (what: string) =>
  fields.ProjectName.optional().describe(what).meta({ entity: 'project', ask: 'Of which project?' });

export const optionalServer = (what: string, ask: string) =>
  fields.ServerName.optional().describe(what).meta({ entity: 'server', ask });

export const someEnvironment = (what: string, ask: string) =>
  fields.Environment.optional().describe(what).meta({ entity: 'environment', ask });

/** A tool whose types have been checked where it was written; the registry validates before it calls. */
export type Tool = ReturnType<typeof tool>;

/** Declares one tool. Its functions are only ever called with input that `spec.input` has parsed. */
export function tool<I extends z.ZodType, O>(spec: ToolSpec<I, O>) {
  // The registry parses with spec.input before it calls, so `unknown` is the schema's output here; `run` made the output.
  const typed = (input: unknown): z.output<I> => input as z.output<I>;
  const { resolve, probe, phrases, holds = 'text', madeHere = [] } = spec;
  const madeHerePaths = madeHere.map((path) => path.split('.'));
  let version: string | undefined;
  return {
    describe: spec.describe,
    hints: spec.hints,
    input: spec.input,
    choices: { ...spec.choices },
    role: spec.role,
    deadlineMs: spec.deadlineMs,
    replay: spec.replay,
    /** SHA-256 of the input schema: a changed meaning of arguments voids an approval. */
    version: () => (version ??= hashCanonical(z.toJSONSchema(spec.input, { io: 'input', target: 'draft-7' }))),
    kind: spec.kind ?? 'tool_call',
    handles: spec.handles ?? [],
    holds,
    /** The part of a result that backs a model's statements: values of the runtime or of our records. Pure. */
    evidence(result: unknown): unknown {
      if (holds !== 'text') return result;
      return pickFields(result, madeHerePaths);
    },
    /** True when the result holds outside text, which is never an instruction. `given`: earlier texts. Pure. */
    holdsOutside: (result: unknown, given: ReadonlySet<string>) =>
      holds !== 'facts' && holdsForeignText(dropFields(result, madeHerePaths), given),
    touchesPrivate: spec.touchesPrivate ?? false,
    egress: spec.egress,
    isRead: spec.risk === 'safe',
    risk(input: unknown, resolved: Resolved | null = null): RiskWithReasons {
      const found = typeof spec.risk === 'function' ? spec.risk(typed(input), resolved) : spec.risk;
      return typeof found === 'string' ? { risk: found, reasons: [] } : found;
    },
    /** Null when the arguments need no look-up. */
    resolve: resolve ? async (input: unknown, look: Resolving) => resolve(typed(input), look) : null,
    environment: (input: unknown): Environment => spec.environment?.(typed(input)) ?? 'none',
    resources: (input: unknown, resolved: Resolved | null = null) => spec.resources?.(typed(input), resolved) ?? [],
    preview: async (input: unknown, look: Previewing) => (await spec.preview?.(typed(input), look)) ?? null,
    values: (resolved: Resolved | null): DeclaredValues => ({
      told: spec.told ?? [],
      derived: typeof spec.derived === 'function' ? spec.derived(resolved ?? {}) : (spec.derived ?? []),
    }),
    /** Null when the tool cannot look up its effect. */
    probe: probe
      ? async (input: unknown, context: ToolContext): Promise<Probed<unknown>> => {
          mustBeIssued(context);
          return probe(typed(input), context);
        }
      : null,
    lock: (input: unknown) => spec.lock?.(typed(input)) ?? null,
    // `run` returned a value of this type.
    done: (output: unknown, input: unknown) => phrases.done(output as O, typed(input)),
    next: (output: unknown, input: unknown) => phrases.next?.(output as O, typed(input)) ?? [], // as above
    /** Null without such a sentence, or for invalid arguments. */
    order(args: unknown): string | null {
      const input = spec.input.safeParse(args);
      return input.success ? (phrases.order?.(input.data) ?? null) : null;
    },
    /** For `unpackResult`. */
    async run(input: unknown, context: ToolContext): Promise<unknown> {
      mustBeIssued(context);
      return spec.run(typed(input), context);
    },
  };
}

/** The fields of a result at these paths, with their parents. */
function pickFields(result: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(result)) return result.map((one) => pickFields(one, paths));
  if (paths.some((path) => path.length === 0)) return result;
  if (typeof result !== 'object' || result === null) return null;
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]) => {
      const inner = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      return inner.length === 0 ? [] : [[name, pickFields(value, inner)]];
    }),
  );
}

/** Names that authors of commits chose, though the runtime recorded them: words, unless they have a version's form. */
const NAMED_BY_OTHERS: ReadonlySet<string> = new Set(['version', 'release']);

function dropFields(result: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(result)) return result.map((one) => dropFields(one, paths));
  if (paths.length === 0 || typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]) => {
      const inner = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
      const isMade = inner.some((path) => path.length === 0) && !NAMED_BY_OTHERS.has(name);
      return isMade
        ? []
        : [
            [
              name,
              dropFields(
                value,
                inner.filter((path) => path.length > 0),
              ),
            ],
          ];
    }),
  );
}

/** Declares a capability group: the default export of a file in capabilities/. */
export function toolGroup(group: ToolGroup): ToolGroup {
  return group;
}
