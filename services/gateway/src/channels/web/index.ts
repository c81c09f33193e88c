import type { ChannelDefinition } from '../channel.ts';
import { WebConfig } from './config.ts';

/** The web channel: a page over web sockets. */
export default {
  name: 'web',
  config: WebConfig,
  open: async (parts) => {
    const { createWeb } = await import('./channel.ts');
    return createWeb(parts);
  },
} satisfies ChannelDefinition<typeof WebConfig>;
