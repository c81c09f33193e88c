import type { z } from 'zod';
import type { ActionKind, ActionEnvironment, Risk } from '@signalbox/contracts/governance/action';
import type { StepCondition } from '@signalbox/contracts/governance/plan';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { DeclaredValues } from '@signalbox/safety/cards/essential';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';

/** What approvers read besides the exact arguments: short lines of plain text. */
export interface ActionPreview {
  /** The action in one line: "Deploy shop 1.4.2 to production". */
  readonly what: string;
  /** How the action changes the state, beyond its arguments. */
  readonly change: string;
  readonly reach: string;
  /** How to undo the action, or that it cannot be undone. */
  readonly undo: string;
  /** The steps of a plan, each in one line. */
  readonly steps?: readonly string[];
  /** What this person wrote when they asked for it, where that was in an earlier turn; the card quotes it when they ask again. */
  readonly words?: { readonly text: string; readonly userKey: string } | undefined;
  /** True when a changed action would be of no use: another system waits for an answer to exactly this. */
  readonly isFixed?: true;
  /** Rows that the card needs beyond the usual ones, because names that other systems chose are long. */
  readonly rows?: number;
  /** Files that are sent with the card, such as a diff that is too long for it; a resolved value has their hash. */
  readonly files?: readonly { readonly name: string; readonly mimeType: string; readonly content: string }[];
}

export interface RiskWithReasons {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  /** Set to deny the call with this sentence, without asking anybody. */
  readonly refusal?: string;
}

/** A tool as governance uses it: what the tool's author declares. Pure functions. */
export interface Tool {
  readonly input: z.ZodType;
  readonly role: Role;
  readonly kind: ActionKind;
  readonly handles: readonly string[];
  readonly touchesPrivate: boolean;
  readonly egress: boolean;
  readonly replay: 'harmless' | 'unknown';
  /** True when the arguments are the steps of a plan (see plans/). */
  readonly isPlan: boolean;
  /** Conditions that a result of this tool can meet, besides `done`. */
  readonly measures: readonly StepCondition[];
  /** Null when the tool's arguments need no resolution: see `Tools.resolve`. */
  readonly resolve: unknown;
  /** Null when the outcome of the tool cannot be probed: see `Tools.probe`. */
  readonly probe: unknown;
  version(): string;
  risk(input: unknown, resolved?: ResolvedRefs | null): RiskWithReasons;
  environment(input: unknown): ActionEnvironment;
  resources(input: unknown, resolved?: ResolvedRefs | null): readonly string[];
  values(resolved: ResolvedRefs | null): DeclaredValues;
  lock(input: unknown): string | null;
  /** Names of resolved values, as `listChanges` has them, that this call changes for a later call about these resources. */
  alters(input: unknown, resources: readonly string[]): readonly string[];
  order(args: unknown): string | null;
}

/** A tool with its capability group. */
export interface OwnedTool {
  readonly tool: Tool;
  readonly group: { readonly name: string };
}
