import { z } from 'zod';
import type { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { RunContext } from './extras.ts';
import { drawView, redrawView, sendView } from './replies.ts';
import type { ActionSpecs, GuidedReply, GuidedSpec, ReaderProfile } from './spec.ts';
import type { GuidedState, GuidedStateUpdate } from './state.ts';

/** The action with which a person changes how views are drawn; every guided agent has it. */
export const MODE_ACTION = 'set_mode';

const ModeChange = z
  .strictObject({ mode: z.enum(['voice', 'text']).optional(), device: z.enum(['desktop', 'mobile']).optional() })
  .refine(({ mode, device }) => mode !== undefined || device !== undefined, { path: ['mode'] });

export function addModeAction(actions: ActionSpecs): ActionSpecs {
  return {
    ...actions,
    [MODE_ACTION]: {
      data: ModeChange,
      describe: 'The person wants to be spoken to (voice) or to read (text), or reads on another device.',
    },
  };
}

/** Applies a mode that the person chose, and sends the current view again in that mode. */
export function applyChosenMode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  state: GuidedState,
  extras: RunContext,
  data: unknown,
): GuidedStateUpdate {
  const { mode = state.mode, device = state.device } = ModeChange.parse(data);
  const shown = shownOf(spec, state);
  const view = drawShown(spec, state, { mode, device });
  return { mode, device, ...sendView(state, extras, { state: shown, view, replies: [] }) };
}

/** Applies a changed page mode or device, and redraws the current view in place, unless it looks the same. */
export function applyPageMode<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  state: GuidedState,
  extras: RunContext,
  { mode, device }: PageMode,
): GuidedStateUpdate {
  const now = drawShown(spec, state, { mode, device });
  const isSame = JSON.stringify(now) === JSON.stringify(drawShown(spec, state, state));
  return { reads: { mode, device }, mode, device, ...(isSame ? {} : redrawView(state, extras, now)) };
}

function drawShown<S extends z.ZodType, A extends ActionSpecs>(
  spec: GuidedSpec<S, A>,
  state: GuidedState,
  { mode, device }: ReaderProfile,
): GuidedReply {
  const domain = state.domain[spec.id] as z.output<S>; // migrateState parsed it
  return drawView(spec, shownOf(spec, state), domain, { mode, device });
}

function shownOf<S extends z.ZodType, A extends ActionSpecs>(
  { views, home }: Pick<GuidedSpec<S, A>, 'views' | 'home'>,
  { ui }: GuidedState,
): string {
  return Object.hasOwn(views, ui.state) ? ui.state : home;
}
