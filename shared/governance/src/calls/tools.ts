import type { AppError } from '@signalbox/contracts/errors';
import type { Resolved } from '@signalbox/safety/cards/resolved';
import type { CallScope, Runnable, ToolCall, ToolCallResult } from './call.ts';
import type { OwnedTool, Preview } from './tool.ts';

/** The tools of an installation, and the only way to their handlers. The worker implements it. */
export interface Tools {
  readonly groups: readonly { readonly name: string }[];
  /** The tool of that name among the given groups, or null. */
  find(name: string, groups: readonly string[]): OwnedTool | null;
  /** Finds the tool of a call and parses its arguments; what is refused comes as the result for the model. Pure. */
  read(call: ToolCall, agent: string): { readonly runnable: Runnable } | { readonly refused: ToolCallResult };
  /**
   * What the arguments of a call stand for now; null for a tool that looks nothing up, and for somebody who may not call it anyway.
   * `before`: what was found when it was proposed. Throws what stands in the way, as an AppError. Reads only; again is harmless.
   */
  resolve(scope: CallScope, call: Runnable, before: Resolved | null): Promise<Resolved | null>;
  /** What a tool says that its call would do, as things are now; an error when it says that it cannot be done. */
  preview(call: Runnable): Promise<Preview | null | AppError>;
  /**
   * Calls the handler. What the tool throws comes back as a result; only LANE_LOST, ACTION_ID_TAKEN and an abort of the turn throw.
   * `isUncertain`: it failed, and the effect may be there all the same.
   */
  run(
    scope: CallScope,
    call: Runnable,
    how?: { readonly isRead?: boolean; readonly isAgain?: boolean },
  ): Promise<{ readonly result: ToolCallResult; readonly isUncertain: boolean }>;
  /** Looks up what became of an effect whose result was lost. Unknown when the tool cannot tell, or fails to. */
  probe(scope: CallScope, call: Runnable): Promise<ToolCallResult | 'not-done' | 'unknown'>;
}
