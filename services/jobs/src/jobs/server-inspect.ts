import { say } from '@signalbox/messages/say';
import { describeEnded, probeServer, type MachineDeps } from '../machine/probe-server.ts';
import type { HandlerOf } from '../runner/handlers.ts';

/** Measures one server and stores the result. Each run measures again. */
export function createServerInspect(deps: MachineDeps): HandlerOf<'server.inspect'> {
  return {
    title: () => say('jobs.lookingAtAServer'),
    run: async ({ server: name }, context) => {
      const server = await deps.probes.get(name);
      const probe = await probeServer(deps, server, context);
      context.signal.throwIfAborted();
      await deps.probes.save(name, probe);
      if (probe.kind === 'up') {
        const { hostKey } = server;
        const hostKeyTrusted = hostKey === null ? null : true;
        const detail = describeEnded(probe.ended);
        return { server: name, reached: true, inventory: probe.inventory, hostKey, hostKeyTrusted, detail };
      }
      const { detail, hostKey } = probe;
      const hostKeyTrusted = hostKey === null ? null : false;
      return { server: name, reached: false, inventory: null, hostKey, hostKeyTrusted, detail };
    },
    say: ({ server, reached, detail }) => (reached ? `I measured ${server}. ${detail}`.trim() : detail),
  };
}
