import { z } from 'zod';

/** How a person uses a web page; the agent phrases its answers for this mode. */
export const PageMode = z.object({ mode: z.enum(['voice', 'text']), device: z.enum(['desktop', 'mobile']) });
export type PageMode = z.infer<typeof PageMode>;
