import { z } from 'zod';

export const WhatsAppConfig = z
  .object({
    /** The access token of the Graph API. Secret. */
    WHATSAPP_ACCESS_TOKEN: z
      .string({
        error: 'is not set. Create a token of a system user with whatsapp_business_messaging and put it here.',
      })
      .regex(/^[\x21-\x7e]{10,1000}$/, 'is not an access token: it has no spaces and at least 10 characters.')
      .meta({ secret: true }),
    /** Meta's id of the bot's phone number, which is not the number itself. */
    WHATSAPP_PHONE_NUMBER_ID: z
      .string({ error: 'is not set. It stands under WhatsApp, API Setup in the app dashboard of Meta.' })
      .regex(/^\d{5,30}$/, 'is not the id of a phone number: it has digits only, and is not the number itself.'),
    /** The secret with which Meta signs webhooks. Secret. */
    WHATSAPP_APP_SECRET: z
      .string({ error: 'is not set. It stands under App settings, Basic in the app dashboard of Meta.' })
      .min(16, 'is not the secret of an app: it has 16 characters or more.')
      .meta({ secret: true }),
    /** The token that Meta presents when the webhook is set up; choose one and enter it at Meta as well. Secret. */
    WHATSAPP_VERIFY_TOKEN: z
      .string({ error: 'is not set. `openssl rand -hex 32` makes one; enter the same where you set up the webhook.' })
      .regex(/^[\w-]{16,256}$/, 'takes 16 to 256 of the characters A-Z a-z 0-9 _ -. `openssl rand -hex 32` makes one.')
      .meta({ secret: true }),
    /** The address of the Graph API, with its version. */
    WHATSAPP_API_ROOT: z
      .url()
      .default('https://graph.facebook.com/v26.0')
      .transform((url) => url.replace(/\/+$/, '')),
    /** The approved template for people who have not written for 24 hours, as name/language. When not set, no template is sent. */
    WHATSAPP_TEMPLATE: z
      .string()
      .regex(/^[a-z0-9_]{1,512}\/[a-z]{2,3}(_[A-Z]{2})?$/, 'is not a template. It looks like news_waiting/en_US.')
      .optional(),
  })
  .superRefine(({ WHATSAPP_API_ROOT: root }, context) => {
    if (!URL.canParse(root)) return; // the schema reports an invalid address itself
    const { protocol, hostname } = new URL(root);
    if (protocol === 'https:' || hostname === '127.0.0.1') return;
    const message = 'has to begin with https://, because the token goes there. Only 127.0.0.1 may be http.';
    context.addIssue({ code: 'custom', path: ['WHATSAPP_API_ROOT'], message, input: undefined });
  });
export type WhatsAppConfig = z.infer<typeof WhatsAppConfig>;
