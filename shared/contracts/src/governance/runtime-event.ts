import { z } from 'zod';

/** News that the runtime brings into a conversation. A model reads it as the result of a call that nobody can type. */
export const RuntimeEvent = z.object({
  kind: z.enum(['job-finished', 'decision', 'incident']),
  /** The sentence with which the runtime tells the person. */
  say: z.string(),
  /** The call that was decided about, or that started the job. */
  callId: z.string().optional(),
  tool: z.string().optional(),
  job: z.string().optional(),
  /** Whether the decision, its action or the job went as asked; `waits`: for the person's answer. Missing in older records. */
  outcome: z.enum(['approved', 'modified', 'rejected', 'expired', 'done', 'failed', 'waits']).optional(),
  /** The people who decided. */
  by: z.array(z.string()).optional(),
  /** The words of the person who rejected the action. */
  reason: z.string().optional(),
  /** The buttons below the runtime's message. */
  buttons: z.array(z.string()).optional(),
  /** True when the action started a job whose end is another event. */
  goesOn: z.literal(true).optional(),
  /** Values in this news that the runtime made (see field-key.ts). */
  made: z.array(z.string()).optional(),
  /** True when the runtime told the person, and no model was asked. */
  told: z.literal(true).optional(),
});
export type RuntimeEvent = z.infer<typeof RuntimeEvent>;
