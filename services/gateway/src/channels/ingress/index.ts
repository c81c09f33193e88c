import type { ChannelDefinition } from '../channel.ts';
import { IngressConfig } from './config.ts';
import { readSources } from './sources.ts';

/** The channel for other programs, over HTTP. See docs/channels/ingress.md. */
export default {
  name: 'ingress',
  config: IngressConfig,
  check: ({ INGRESS_SOURCES_FILE: file }) => void readSources(file),
  open: async ({ config, pool, redis, prefix, log, http, own, wakeLanes }) => {
    const { registerSources } = await import('./accounts.ts');
    const { createIngress } = await import('./channel.ts');
    const { registerAlarmSources } = await import('@signalbox/store/incidents/sources');
    const sources = readSources(config.INGRESS_SOURCES_FILE);
    await registerSources(pool, [...sources.programs, ...sources.forges], log);
    await registerAlarmSources(pool, sources.alarms);
    const { createTokenCheck } = await import('./gates/token.ts');
    const { INGRESS_BURST: maxEvents, GITHUB_API: githubApi } = config;
    const verifyToken = createTokenCheck(config.INGRESS_ISSUERS, config.INGRESS_PUBLIC_URL || null);
    const channel = createIngress({ sources, pool, redis, prefix, log, wakeLanes, maxEvents, githubApi, verifyToken });
    own(channel);
    await channel.register(http());
    return channel;
  },
} satisfies ChannelDefinition<typeof IngressConfig>;
