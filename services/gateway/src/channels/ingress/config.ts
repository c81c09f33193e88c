import { say } from '@signalbox/messages/say';
import { ForgeAddress } from '@signalbox/platform/config';
import { z } from 'zod';
import { DEFAULT_ISSUERS, TokenIssuers } from './gates/token-issuers.ts';

export const IngressConfig = z.object({
  /** The JSON file that names the programs and their secrets: see docs/channels/ingress.md. Mount it as a secret. */
  INGRESS_SOURCES_FILE: z.string({ error: () => say('ingress.file-missing') }),
  /** Address of the API of GitHub, with which the address of the answer in its webhooks is compared. The jobs have the same setting. */
  GITHUB_API: ForgeAddress.default('https://api.github.com'),
  /** Public address of the gateway, for which the tokens of jobs have to be made. Default: none, and tokens prove nothing. */
  INGRESS_PUBLIC_URL: z.union([z.literal(''), ForgeAddress]).default(''),
  /** Who signs the tokens of jobs: a kind (github or gitlab), the issuer, and the address of its keys; with commas between them. */
  INGRESS_ISSUERS: z.string().default(DEFAULT_ISSUERS).pipe(TokenIssuers),
  /** Events that one source may send within ten seconds, over all gateways. INBOUND_BURST, at least as high, refuses later. */
  INGRESS_BURST: z.coerce.number().int().min(1).max(10_000).default(20),
});
