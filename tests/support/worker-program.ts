import { createInterface } from 'node:readline';
import { runService } from '@signalbox/platform/lifecycle';
import { createLog } from '@signalbox/platform/log';
import { loadConfig } from '@signalbox/worker/config';
import { createWiring } from '@signalbox/worker/wire';
import { createWorker } from '@signalbox/worker/worker';
import { deployGroup, type DeployWay } from './deploy-target.ts';

// A worker in a process of its own, to be killed, that deploys to a target outside. Its environment, the target and how deploys are
// governed come as JSON. Loading takes seconds, so it loads ahead of its time and starts at the first line of its input.
const [given = '{}'] = process.argv.slice(2);
// Written by kill-field.ts, in this shape.
const { env, target, way } = JSON.parse(given) as { env: Record<string, string>; target: string; way: DeployWay };
const config = loadConfig(env);
const log = createLog('worker', config.LOG_LEVEL);
const lines = createInterface({ input: process.stdin });
process.stdout.write('loaded\n');
lines.once('line', () => {
  lines.close();
  void runService(log, async (own) => {
    await createWorker(own, config, log, { ...createWiring(config, log), groups: [deployGroup({ url: target }, way)] });
    process.stdout.write('ready\n');
  });
});
