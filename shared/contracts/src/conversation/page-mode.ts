import { z } from 'zod';

/** How a page is used, and so how its person reads: what is shown depends on it. */
export const PageMode = z.object({ mode: z.enum(['voice', 'text']), device: z.enum(['desktop', 'mobile']) });
export type PageMode = z.infer<typeof PageMode>;
