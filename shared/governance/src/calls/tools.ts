import type { AppError } from '@signalbox/contracts/errors';
import type { ResolvedRefs } from '@signalbox/safety/cards/resolved';
import type { CallScope, RunnableCall, ToolCall, ToolCallResult } from './call.ts';
import type { OwnedTool, ActionPreview } from './tool.ts';

/** The tools of an installation, and the only access to their handlers. The worker implements it. */
export interface InstalledTools {
  readonly groups: readonly { readonly name: string }[];
  find(name: string, groups: readonly string[]): OwnedTool | null;
  /** Finds the tool of a call and validates its arguments; refusals are results for the model. Pure. */
  read(call: ToolCall, agent: string): { readonly runnable: RunnableCall } | { readonly refused: ToolCallResult };
  /** Resolves a call's arguments; null without a look-up or permission. `before`: the result at the proposal. Throws the obstacle. */
  resolve(scope: CallScope, call: RunnableCall, before: ResolvedRefs | null): Promise<ResolvedRefs | null>;
  /** Returns the tool's preview of a call; an error when the preview failed. */
  preview(call: RunnableCall): Promise<ActionPreview | null | AppError>;
  /** Runs the handler. Throws only LANE_LOST, ACTION_ID_TAKEN and an abort. `isUncertain`: the call failed, but may have an effect. */
  run(
    scope: CallScope,
    call: RunnableCall,
    how?: { readonly isRead?: boolean; readonly isAgain?: boolean },
  ): Promise<{ readonly result: ToolCallResult; readonly isUncertain: boolean }>;
  /** Probes the outcome of an effect whose result was lost. Unknown when the tool cannot tell. */
  probe(scope: CallScope, call: RunnableCall): Promise<ToolCallResult | 'not-done' | 'unknown'>;
}
