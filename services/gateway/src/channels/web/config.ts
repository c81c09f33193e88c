import { say } from '@signalbox/messages/say';
import { SpeechConfig } from '@signalbox/models/speech/settings';
import { z } from 'zod';
import { isLoopback } from './sign-in/origin.ts';

/** The page's host on a local machine; deployed services use 127.0.0.1. */
export const LOCAL_PAGE_HOST = 'localhost';

/** The address and port of the page are those of the public server. */
export const WebConfig = z
  .object({
    /** The public address of the page, such as https://chat.example.org. When not set, the page is for this machine only. */
    WEB_PUBLIC_URL: z
      .url({ protocol: /^https?$/ })
      .superRefine((url, context) => {
        const message = findUrlProblem(url);
        if (message !== null) context.addIssue({ code: 'custom', message, input: url });
      })
      .transform((url) => new URL(url).origin)
      .optional(),
    /** `on` lets visitors of `/<WEB_START_KEY>/` choose a demo person; only on a local address. */
    WEB_DEMO_PEOPLE: z.enum(['on', 'off'], { error: 'is neither on nor off' }).default('off'),
    /** Changes when another program may have used the port, which ends logins over http; when not set, at each start. Secret. */
    WEB_START_KEY: z
      .string()
      .regex(/^[\w-]{32,80}$/, { error: 'is no word of 32 to 80 letters and digits' })
      .optional()
      .meta({ secret: true }),
    /** The host in addresses of deployed services, as in the job service; the page must not share it. */
    PROXY_PUBLIC_HOST: z.string().min(1).default('127.0.0.1'),
    ...SpeechConfig.shape,
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
  if (!URL.canParse(given)) return null; // the schema reports an invalid address itself
  const { protocol, hostname, pathname, search, hash, username } = new URL(given);
  // A cookie over http could be read in transit.
  if (protocol !== 'https:' && !isLoopback(hostname)) return say('gateway.web-not-https');
  return pathname + search + hash + username === '/' ? null : say('gateway.web-url-path');
}

/** True when one host equals or contains the other: browsers let them share cookies. */
function isSameSite(a: string, b: string): boolean {
  const [one, other] = [a, b].map((host) => `.${host.toLowerCase().replace(/\.$/, '')}`) as [string, string]; // one result for each of the two hosts
  return one.endsWith(other) || other.endsWith(one);
}
