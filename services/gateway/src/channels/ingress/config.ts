import { say } from '@signalbox/messages/say';
import { z } from 'zod';

/** The configuration of the ingress. */
export const IngressConfig = z.object({
  /** The JSON file of the programs that may write, with their secrets: see docs/channels/ingress.md. Mount it as a secret. */
  INGRESS_SOURCES_FILE: z.string({ error: () => say('ingress.file-missing') }),
  /** Events that one source may send within ten seconds, over all gateways. At most INBOUND_BURST, which would refuse them later. */
  INGRESS_BURST: z.coerce.number().int().min(1).max(10_000).default(20),
});
