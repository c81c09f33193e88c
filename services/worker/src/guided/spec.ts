import type { z } from 'zod';
import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import type { AgentClass } from '@signalbox/contracts/governance/action';
import type { ToolCallResult } from '@signalbox/governance/calls/call';
import type { AgentRun } from '../agents/agent.ts';

/*
 * The types of a guided agent: its graph decides, and no model does. A model may only map free text to one of the agent's actions. An
 * author provides actions, nodes, a route between them and migrations of the state. See docs/agents.md.
 */

export type OutputMode = 'voice' | 'text';
export type Device = 'desktop' | 'mobile';

/** An action that a person may request from this agent: by a button, by typing `<agent>.<action> {…}`, or in their own words. */
export interface ActionSpec {
  /** The schema of the action's data; other data is refused. */
  readonly data: z.ZodType;
  /** The action's purpose in one English sentence, for a model; null for an action of buttons alone. */
  readonly describe: string | null;
}

export type ActionSpecs = Readonly<Record<string, ActionSpec>>;

/** An action with unparsed data, as read from free text. */
export interface RequestedAction {
  readonly action: string;
  readonly data: unknown;
}

/** An action that the agent read without a model. `isWhole`: the text says nothing else, so that no model has to be asked. */
export interface KnownAction extends RequestedAction {
  readonly isWhole?: boolean;
}

/** The input of a graph's turn. `news`: a message of the runtime, such as the result of a decision. */
export type TurnInput =
  | { readonly kind: 'action'; readonly name: string }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'news'; readonly say: string };

/** One message to the person: markdown, with buttons below it. */
export interface GuidedReply {
  readonly text: string;
  readonly buttons: readonly OfferedButton[];
}

export interface ReaderProfile {
  readonly mode: OutputMode;
  readonly device: Device;
}

export interface NodeContext<D, A extends ActionSpecs> extends ReaderProfile {
  readonly domain: D;
  readonly heard: TurnInput;
  readonly actor: AgentRun['actor'];
  /** Names of actions that the person asked for and that were not begun yet. */
  readonly open: readonly string[];
  /** The data of the requested action, when the person requested this action; otherwise null. */
  given<N extends keyof A & string>(name: N): z.output<A[N]['data']> | null;
  /** Proposes a governed call of a tool in the agent's own groups. Returns the result, a refusal, or a pending approval. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolCallResult>;
}

/** The result of a node; omitted fields stay unchanged. */
export interface NodeOutcome<D> {
  readonly domain?: Partial<D>;
  /** The view to send, which becomes the current view. */
  readonly view?: string;
  readonly replies?: readonly GuidedReply[];
  /** True when the agent waits for the person or a decision: further actions of the same message are begun afterwards. */
  readonly awaits?: boolean;
  /** True when the node only answers a question of the person: below the answers, the agent's own question is asked again. */
  readonly asksAgain?: boolean;
  /**
   * What becomes of actions that were asked for. `keep`: this one is begun again when nothing is awaited. `wait`: the others stay open, as
   * with `awaits`. `drop`: all that were not begun are forgotten.
   */
  readonly open?: 'keep' | 'wait' | 'drop';
  /** Errors by field or step; null removes them. */
  readonly errors?: Readonly<Record<string, string>> | null;
  /** Audit events, which no channel sends. */
  readonly audit?: readonly Readonly<Record<string, string>>[];
  /** The next node, one of `then`; absent at the end of the turn. */
  readonly goto?: string;
}

export interface NodeSpec<D, A extends ActionSpecs> {
  readonly does: string;
  readonly then?: readonly string[];
  run(context: NodeContext<D, A>): Promise<NodeOutcome<D>>;
}

/** Values of a stored state, by channel. */
export type StoredValues = Readonly<Record<string, unknown>>;

/** Pure steps that migrate a stored state to the next version. */
export type StateMigration = readonly ((values: StoredValues) => StoredValues)[];

export interface GuidedSpec<S extends z.ZodType, A extends ActionSpecs> {
  readonly id: string;
  readonly class: AgentClass;
  readonly summary: string;
  readonly stateVersion: number;
  /** Migrations by source version: `1` migrates version 1 to version 2. */
  readonly migrations: Readonly<Record<number, StateMigration>>;
  /** The agent's own capability groups, which are always loaded. */
  readonly groups: readonly string[];
  /** The schema of the agent's data in the state, stored under `domain.<id>`. */
  readonly domain: S;
  initial(): z.output<S>;
  readonly actions: A;
  readonly nodes: Readonly<Record<string, NodeSpec<z.output<S>, A>>>;
  /** Chooses the first node of a turn, after `ingest_input`. Pure. */
  route(heard: TurnInput, domain: z.output<S>): string;
  /** Maps free text to an action without a model; null when unsure. Pure. */
  reads(text: string, domain: z.output<S>): KnownAction | null;
  /** Views by name, redrawn when the reader's mode changes. Pure. */
  readonly views: Readonly<Record<string, (domain: z.output<S>, reader: ReaderProfile) => GuidedReply>>;
  /** The first view of a conversation, which offers the agent's actions. */
  readonly home: string;
}

export function createActionButton(
  agent: string,
  label: string,
  action: string,
  data: Readonly<Record<string, unknown>> = {},
): OfferedButton {
  const given = Object.keys(data).length > 0 ? ` ${JSON.stringify(data)}` : '';
  return { label, value: `${agent}.${action}${given}` };
}
