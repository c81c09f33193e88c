import { say } from '@signalbox/messages/say';
import { ForgeAddress } from '@signalbox/platform/config';
import { z } from 'zod';

export const IngressConfig = z.object({
  /** The JSON file that names the programs and their secrets: see docs/channels/ingress.md. Mount it as a secret. */
  INGRESS_SOURCES_FILE: z.string({ error: () => say('ingress.file-missing') }),
  /** Address of the API of GitHub, with which the address of the answer in its webhooks is compared. The jobs have the same setting. */
  GITHUB_API: ForgeAddress.default('https://api.github.com'),
  /** Events that one source may send within ten seconds, over all gateways. INBOUND_BURST, at least as high, refuses later. */
  INGRESS_BURST: z.coerce.number().int().min(1).max(10_000).default(20),
});
