import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { isLoopback } from './sign-in/origin.ts';

/** Every variable of the web channel. Its address and port are those of the gateway's public server. */
export const WebConfig = z.object({
  /** Where people open the page, such as https://chat.example.org. Not set: the address of the gateway, for this machine alone. */
  WEB_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .superRefine((url, context) => {
      const message = findUrlProblem(url);
      if (message !== null) context.addIssue({ code: 'custom', message, input: url });
    })
    .transform((url) => new URL(url).origin)
    .optional(),
  /** Whether whoever opens the page may choose whom to be, without a link: `on` or `off`. Only on an address of this machine. */
  WEB_DEMO_PEOPLE: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('off'),
});
export type WebConfig = z.infer<typeof WebConfig>;

function findUrlProblem(given: string): string | null {
  if (!URL.canParse(given)) return null; // said already
  const { protocol, hostname, pathname, search, hash, username } = new URL(given);
  // A cookie over http can be read on its way.
  if (protocol !== 'https:' && !isLoopback(hostname)) return say('gateway.web-not-https');
  return pathname + search + hash + username === '/' ? null : say('gateway.web-url-path');
}
