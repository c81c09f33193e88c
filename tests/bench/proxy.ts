/*
 * What the proxy costs: requests per second through it, as a share of those that the same clients get from the same instance
 * directly. Proxy and instance are processes of their own; rounds take turns, so that whatever else the machine does falls on both.
 * A direct client keeps its connection to the instance, and the proxy opens one for each request: that is in the share.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProxyTraffic } from '@signalbox/jobs/traffic/proxy-traffic';
import { freePort } from '../support/free-port.ts';
import { startLoad } from '../support/http-load.ts';
import { until } from '../support/until.ts';

const ROUNDS = 5;
const ROUND_MS = 2_000;
const CLIENTS = 8;
const GET = { path: '/', body: null, expected: 'quick' };
const CASES = {
  'keep-alive': [{ ...GET, keepAlive: true }],
  'a connection per request': [{ ...GET, keepAlive: false }],
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'sb-bench-'));
const [port, door, probe] = [await freePort(), await freePort(), await freePort()];
const instance = spawn(process.execPath, [join(root, 'tests/support/http-instance.mjs'), String(port), '1']);
const main = join(root, 'services/proxy/src/main.ts');
const env = { PROXY_DIR: dir, PROBE_PORT: String(probe), LOG_LEVEL: 'warn' };
const proxy = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', main], { env, stdio: 'inherit' });
try {
  await once(instance.stdout, 'data');
  await until(
    () =>
      fetch(`http://127.0.0.1:${probe}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    30_000,
  );
  const at = (where: number) => ({ host: '127.0.0.1', port: where });
  const names = { service: 'bench/local', release: '1', deploymentId: 'bench', fence: 1 };
  const traffic = createProxyTraffic({ socket: join(dir, 'admin.sock') });
  await traffic.switchTo({ ...names, listen: at(door), upstream: at(port) }, new AbortController().signal);
  const measure = async (where: number, kinds: (typeof CASES)['keep-alive']): Promise<number> => {
    const load = startLoad(where, CLIENTS, kinds);
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    const { failures, perSecond } = await load.stop();
    if (failures.length > 0) throw new Error(`${failures.length} requests failed: ${failures[0]}`);
    return perSecond;
  };
  const rows = [];
  for (const [what, kinds] of Object.entries(CASES)) {
    await measure(door, kinds); // warm
    const [direct, through]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      direct.push(await measure(port, kinds));
      through.push(await measure(door, kinds));
    }
    const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
    rows.push({
      what,
      'direct /s': Math.round(median(direct)),
      'through the proxy /s': Math.round(median(through)),
      share: (median(through) / median(direct)).toFixed(2),
    });
  }
  console.table(rows);
} finally {
  instance.kill();
  proxy.kill();
  await once(proxy, 'exit');
  rmSync(dir, { recursive: true });
}
