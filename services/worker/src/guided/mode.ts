import { z } from 'zod';
import type { Actions } from './spec.ts';

/** Every guided agent has it: how the person reads from now on. What they see is drawn anew. */
export const MODE_ACTION = 'set_mode';

export const ModeChange = z
  .strictObject({ mode: z.enum(['voice', 'text']).optional(), device: z.enum(['desktop', 'mobile']).optional() })
  .refine(({ mode, device }) => mode !== undefined || device !== undefined, { path: ['mode'] });

/** The agent's actions with those that all agents have. */
export function allActions(actions: Actions): Actions {
  return {
    ...actions,
    [MODE_ACTION]: {
      data: ModeChange,
      describe: 'The person wants to be spoken to (voice) or to read (text), or reads on another device.',
    },
  };
}
