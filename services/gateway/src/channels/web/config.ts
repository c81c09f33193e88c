import { say } from '@signalbox/messages/say';
import { z } from 'zod';
import { isLoopback } from './sign-in/origin.ts';

/** The name under which people open the page on a machine of their own; deployed services are told as 127.0.0.1. */
export const LOCAL_PAGE_HOST = 'localhost';

/** Every variable of the web channel. Its address and port are those of the gateway's public server. */
export const WebConfig = z
  .object({
    /** Where people open the page, such as https://chat.example.org. Not set: the address of the gateway, for this machine alone. */
    WEB_PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .superRefine((url, context) => {
        const message = findUrlProblem(url);
        if (message !== null) context.addIssue({ code: 'custom', message, input: url });
      })
      .transform((url) => new URL(url).origin)
      .optional(),
    /** Whether whoever opens the page at `/<WEB_START_KEY>/` may choose whom to be: `on` or `off`. Only on an address of this machine. */
    WEB_DEMO_PEOPLE: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('off'),
    /** Drawn anew whenever the port may have been somebody else's meanwhile: logins over http end with it. Not set: at each start. Secret. */
    WEB_START_KEY: z
      .string()
      .regex(/^[\w-]{32,80}$/, { error: 'is no word of 32 to 80 letters and digits' })
      .optional(),
    /** The host in the addresses of deployed services, as the job service has it: no page may have it too. */
    PROXY_PUBLIC_HOST: z.string().min(1).default('127.0.0.1'),
  })
  .superRefine(({ WEB_PUBLIC_URL, PROXY_PUBLIC_HOST, WEB_DEMO_PEOPLE, WEB_START_KEY }, context) => {
    if (WEB_DEMO_PEOPLE === 'on' && WEB_START_KEY === undefined)
      context.addIssue({ code: 'custom', path: ['WEB_START_KEY'], message: say('gateway.web-demo-open') });
    const host = WEB_PUBLIC_URL === undefined ? LOCAL_PAGE_HOST : new URL(WEB_PUBLIC_URL).hostname;
    if (!isSameSite(host, PROXY_PUBLIC_HOST)) return;
    const message = say('gateway.web-shares-host', { host, services: PROXY_PUBLIC_HOST });
    context.addIssue({ code: 'custom', path: ['WEB_PUBLIC_URL'], message, input: WEB_PUBLIC_URL });
  });
export type WebConfig = z.infer<typeof WebConfig>;

function findUrlProblem(given: string): string | null {
  if (!URL.canParse(given)) return null; // said already
  const { protocol, hostname, pathname, search, hash, username } = new URL(given);
  // A cookie over http can be read on its way.
  if (protocol !== 'https:' && !isLoopback(hostname)) return say('gateway.web-not-https');
  return pathname + search + hash + username === '/' ? null : say('gateway.web-url-path');
}

/** Whether one of two hosts is the other or lies below it: browsers let the two share cookies. */
function isSameSite(a: string, b: string): boolean {
  const [one, other] = [a, b].map((host) => `.${host.toLowerCase().replace(/\.$/, '')}`) as [string, string]; // two went in
  return one.endsWith(other) || other.endsWith(one);
}
