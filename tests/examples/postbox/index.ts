import type { ChannelDefinition } from '@signalbox/gateway/channels/channel';
import { PostboxConfig } from './config.ts';

/** Postbox, through its HTTP interface. */
export default {
  name: 'postbox',
  config: PostboxConfig,
  open: async ({ config, log }) => {
    const { createPostbox } = await import('./channel.ts');
    return createPostbox({
      url: config.POSTBOX_URL,
      token: config.POSTBOX_TOKEN,
      account: config.POSTBOX_ACCOUNT,
      log,
    });
  },
} satisfies ChannelDefinition<typeof PostboxConfig>;
