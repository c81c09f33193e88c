import type { z } from 'zod';
import type { ActionKind, Environment, Risk } from '@signalbox/contracts/governance/action';
import type { Role } from '@signalbox/contracts/governance/roles';
import type { DeclaredValues } from '@signalbox/safety/cards/essential';
import type { Resolved } from '@signalbox/safety/cards/resolved';

/** What an approver reads about an action besides its exact arguments, which every card shows: plain text, each in a short line. */
export interface Preview {
  /** The action in one line: "Deploy shop 1.4.2 to production". */
  readonly what: string;
  /** What will be different, as far as the arguments do not say it. */
  readonly change: string;
  readonly reach: string;
  /** How it is taken back; say so when it cannot be. */
  readonly undo: string;
}

/** A risk with the reasons for it, in sentences for people. */
export interface RiskWithReasons {
  readonly risk: Risk;
  readonly reasons: readonly string[];
  /** Nobody could want it, so nobody is asked: it is denied with this sentence. */
  readonly refusal?: string;
}

/** What governance knows of a tool: what its author declared. Its functions are pure. */
export interface Tool {
  readonly input: z.ZodType;
  /** The least role that may call it. */
  readonly role: Role;
  readonly kind: ActionKind;
  readonly handles: readonly string[];
  readonly holds: 'facts' | 'records' | 'text';
  readonly touchesPrivate: boolean;
  readonly egress: boolean;
  readonly replay: 'harmless' | 'unknown';
  /** Null when its arguments stand for nothing else: see `Tools.resolve`. */
  readonly resolve: unknown;
  /** Null when it cannot look up what became of it: see `Tools.probe`. */
  readonly probe: unknown;
  version(): string;
  risk(input: unknown, resolved?: Resolved | null): RiskWithReasons;
  environment(input: unknown): Environment;
  resources(input: unknown, resolved?: Resolved | null): readonly string[];
  values(resolved: Resolved | null): DeclaredValues;
  lock(input: unknown): string | null;
  order(args: unknown): string | null;
}

/** A tool and the capability group it belongs to. */
export interface OwnedTool {
  readonly tool: Tool;
  readonly group: { readonly name: string };
}
