import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import { rmSync } from 'node:fs';
import { freePort } from '../../support/free-port.ts';
import { itSwitchesTraffic } from '../../support/traffic-contract.ts';
import { startProxy } from './proxy-bench.ts';

itSwitchesTraffic(async () => {
  const proxy = await startProxy();
  return {
    traffic: createProxyTraffic(proxy),
    listen: { host: '127.0.0.1', port: await freePort() },
    close: async () => {
      await proxy.close();
      rmSync(proxy.folder, { recursive: true });
    },
  };
});
