import { createFigures, type Figure } from '@signalbox/platform/figures';
import { createLog } from '@signalbox/platform/log';
import { createCounter, listSeries } from '@signalbox/platform/metrics';
import { createMetrics } from '@signalbox/platform/probe';
import { expect, it } from 'vitest';

const KINDS = {
  waiting: { help: 'Waiting.', labels: [] },
  done_total: { help: 'Done.', labels: ['kind'] },
};
const FIGURES: readonly Figure[] = [
  { name: 'waiting', labels: {}, value: 3 },
  { name: 'done_total', labels: { kind: 'a' }, value: 7 },
];

function open(read: () => Promise<readonly Figure[]>, cacheMs?: number) {
  const registry = createMetrics('test');
  createFigures(registry, createLog('test', 'silent'), cacheMs).add({ name: 'database', kinds: KINDS, read });
  return async () =>
    (await registry.metrics()).split('\n').filter((line) => /^signalbox_(waiting|done|scrape)/.test(line));
}

it('figures are read once for all scrapes of ten seconds', async () => {
  let reads = 0;
  const scrape = open(() => {
    reads += 1;
    return Promise.resolve(FIGURES);
  });
  await Promise.all([scrape(), scrape()]);
  expect(await scrape()).toEqual([
    'signalbox_scrape_ok{source="database",service="test"} 1',
    'signalbox_waiting{service="test"} 3',
    'signalbox_done_total{kind="a",service="test"} 7',
  ]);
  expect(reads).toBe(1);
});

it('a source that fails takes its figures away and says so, and they come back with it', async () => {
  let isAway = false;
  const scrape = open(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(FIGURES)), 0);
  expect(await scrape()).toHaveLength(3);
  isAway = true;
  expect(await scrape()).toEqual(['signalbox_scrape_ok{source="database",service="test"} 0']);
  isAway = false;
  expect(await scrape()).toHaveLength(3);
});

it('a source that hangs does not hang the scrape, and is not read a second time meanwhile', async () => {
  let reads = 0;
  const scrape = open(() => {
    reads += 1;
    return new Promise(() => undefined);
  });
  const startedAt = performance.now();
  expect(await scrape()).toEqual(['signalbox_scrape_ok{source="database",service="test"} 0']);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  await scrape();
  expect(reads).toBe(1);
});

it('a counter exports the label values that have not happened yet as 0', async () => {
  const registry = createMetrics('test');
  const series = listSeries({ result: ['sent', 'failed'] });
  createCounter(registry, 'signalbox_tries_total', 'Tries.', ['result'], { series }).add({ result: 'sent' });
  expect(await registry.metrics()).toMatch(/result="sent",service="test"\} 1\n.*result="failed",service="test"\} 0\n/);
});
