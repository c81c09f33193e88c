import { z } from 'zod';

/** Every variable of Postbox. */
export const PostboxConfig = z.object({
  /** Where its HTTP interface is served. */
  POSTBOX_URL: z
    .url({ protocol: /^https?$/, error: 'is not set, or is no address that begins with http:// or https://.' })
    .transform((url) => url.replace(/\/+$/, '')),
  /** What calls present. Secret. */
  POSTBOX_TOKEN: z
    .string({ error: 'is not set. It is what Postbox gave you for this account.' })
    .regex(/^[\x21-\x7e]{8,500}$/, 'is no token: it has 8 characters or more, and no blanks.')
    .meta({ secret: true }),
  /** The name of our account there. Messages are known by it, so it stays when the token changes. */
  POSTBOX_ACCOUNT: z
    .string()
    .regex(/^[\w.-]{1,60}$/, 'takes letters, digits and . _ -')
    .default('signalbox'),
});
export type PostboxConfig = z.infer<typeof PostboxConfig>;
