import { createLog } from '@signalbox/platform/log';
import { createMetrics, openProbe } from '@signalbox/platform/probe';
import { expect, onTestFinished, test } from 'vitest';

async function open() {
  const probe = await openProbe({ host: '127.0.0.1', port: 0, log: createLog('test', 'silent') });
  onTestFinished(() => probe.close());
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${probe.port}${path}`, { signal: AbortSignal.timeout(8_000) });
    return `${response.status} ${await response.text()}`;
  };
  return { probe, get };
}

test('a service is alive but not ready while it starts, waits for a dependency or stops', async () => {
  const { probe, get } = await open();
  expect([await get('/healthz'), await get('/readyz')]).toEqual(['200 ok\n', '503 starting\n']);
  probe.wait(['Postgres does not answer', 'Redis does not answer']);
  expect(await get('/readyz')).toBe('503 Postgres does not answer\nRedis does not answer\n');
  probe.serve({ metrics: createMetrics('test'), problems: () => Promise.resolve([]) });
  expect(await get('/readyz')).toBe('200 ready\n');
  expect(await get('/metrics')).toMatch(/^signalbox_build_info\{version="\d+\.\d+\.\d+",service="test"\} 1$/m);
  probe.wait(['stopping']);
  expect(await get('/readyz')).toBe('503 stopping\n');
});

test('the readiness probe answers within seconds when a check hangs or throws', async () => {
  const { probe, get } = await open();
  probe.serve({ metrics: createMetrics('test'), problems: () => new Promise(() => undefined) });
  expect(await get('/readyz')).toBe('503 no answer within 2.5 s\n');
  probe.serve({ metrics: createMetrics('test'), problems: () => Promise.reject(new Error('gone')) });
  expect(await get('/readyz')).toContain('503 Error: gone');
});
