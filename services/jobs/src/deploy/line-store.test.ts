import { createLog } from '@signalbox/platform/log';
import { expect, test } from 'vitest';
import { createLineFilter, createLineStore } from './line-store.ts';

test('of an output line that arrives in several pieces only the beginning is kept, separately per stream', () => {
  const clean = createLineFilter((text) => text.replaceAll('plum', '[secret]'));
  const kept = [
    clean({ stream: 'out', line: 'x'.repeat(16_384) }),
    clean({ stream: 'err', line: 'a plum' }),
    clean({ stream: 'out', line: 'um and what follows' }),
    clean({ stream: 'out', line: 'the next' }),
  ];
  expect(kept[0]).toHaveLength(2_000);
  expect(kept.slice(1)).toEqual(['a [secret]', null, 'the next']);
});

test('output lines are stored with the deployment state of their arrival, and stored later if the table was unavailable', async () => {
  const stored: [string, readonly string[]][] = [];
  let state: 'building' | 'starting' = 'building';
  let isAway = true;
  const lines = createLineStore({
    work: {
      addLines: async (_id, _fence, of, batch) => {
        if (isAway) throw new Error('away');
        stored.push([of, batch]);
        return true;
      },
    },
    deploymentId: 'act_1',
    epoch: 1,
    state: () => state,
    mask: (text) => text,
    log: createLog('test', 'silent'),
  });
  const push = (line: string): void => lines.push({ at: null, stream: 'out', line });
  push('one');
  push('two');
  await lines.flush();
  isAway = false;
  state = 'starting';
  push('three');
  await lines.close();
  expect(stored).toEqual([
    ['building', ['one', 'two']],
    ['starting', ['three']],
  ]);
  expect(lines.last(2)).toEqual(['two', 'three']);
});
