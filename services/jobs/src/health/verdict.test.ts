import { describe, expect, it } from 'vitest';
import { NO_CRASHES } from './crash-loop.ts';
import { addLatency, getUsualLatency, type HealthState } from './latencies.ts';
import { judgeHealth, type HealthMeasurements } from './verdict.ts';

const WELL: HealthMeasurements = {
  release: '1.1.0-abc',
  reportedRelease: '1.1.0-abc',
  proxy: { status: 200, latencyMs: 20, error: null },
  instance: { status: 200, latencyMs: 18, error: null },
  process: { running: true, restarts: 0, exitCode: null, oom: false, memoryMb: 40 },
  diskFreeMb: 10_000,
  usualLatencyMs: 20,
  lacks: null,
  errorsLastHour: 0,
  errorsLately: 0,
  errorsUsually: 0,
  newRestarts: 0,
  crashLoop: null,
  crashes: NO_CRASHES,
  lagMs: 0,
  timedOutMs: null,
  sayProblem: null,
};
const loop = { restarts: 7, withinMs: 40_000, isOver: false, isStopped: false };
const dead = { running: false, restarts: 0, exitCode: 3, oom: false, memoryMb: null };

describe('the health verdict', () => {
  it.each<[string, Partial<HealthMeasurements>, string, string | null, RegExp]>([
    ['well', {}, 'healthy', null, /1\.1\.0-abc answers in 20 ms/],
    ['never deployed', { release: null }, 'nothing-deployed', null, /Nothing/],
    ['in a crash loop', { newRestarts: 3, crashLoop: loop }, 'down', 'crash-loop', /7 times within 40 s/],
    [
      'stopped for its crash loop',
      { process: dead, crashLoop: { ...loop, isOver: true, isStopped: true } },
      'down',
      'crash-loop',
      /7 times within 40 s, and was stopped/,
    ],
    ['ended', { process: dead }, 'down', 'exited', /code 3/],
    ['killed for memory', { process: { ...dead, oom: true } }, 'down', 'oom', /memory/],
    [
      'silent',
      { proxy: { status: null, latencyMs: null, error: 'nobody listens there' } },
      'down',
      'down',
      /though the instance.*nobody listens/,
    ],
    ['failing', { proxy: { status: 500, latencyMs: 9, error: null } }, 'down', 'down', /status 500/],
    [
      'another release',
      { reportedRelease: '1.0.0' },
      'down',
      'wrong-release',
      /1\.0\.0 answers instead of 1\.1\.0-abc/,
    ],
    ['crashing', { newRestarts: 2 }, 'degraded', 'restarts', /2 times/],
    [
      'slow',
      { proxy: { status: 200, latencyMs: 1_500, error: null } },
      'degraded',
      'slow',
      /1\.5 s, and 20 ms is usual/,
    ],
    ['slower, but nobody notices', { proxy: { status: 200, latencyMs: 300, error: null } }, 'healthy', null, /300 ms/],
    ['a burst', { errorsLately: 25, errorsUsually: 1 }, 'degraded', 'errors', /25 errors/],
    ['as many errors as always', { errorsLately: 25, errorsUsually: 20 }, 'healthy', null, /answers/],
    ['no disk', { diskFreeMb: 12 }, 'degraded', 'disk', /12 MB/],
  ])('states the condition of a service and the reason: %s', (_, over, verdict, kind, because) => {
    const found = judgeHealth({ ...WELL, ...over });
    expect({ verdict: found.verdict, kind: found.kind }).toEqual({ verdict, kind });
    expect(found.because).toMatch(because);
  });
});

describe('the usual latency of a service', () => {
  const fed =
    (release: string, ...latencies: number[]) =>
    (samples: HealthState['samples']) =>
      latencies.reduce((rest, latency) => addLatency(rest, release, latency), samples);

  it('is unknown after only two probes', () => {
    expect(getUsualLatency(fed('1.0', 20, 21)([]), '1.0', null)).toBeNull();
  });

  it('is that of the previous release when a new release is slow from the start', () => {
    const samples = fed('1.1', ...Array.from({ length: 40 }, () => 1_500))(fed('1.0', 20, 22, 18)([]));
    expect(getUsualLatency(samples, '1.1', 20)).toBe(20);
  });

  it('is computed from a bounded number of probes and releases', () => {
    let samples: HealthState['samples'] = [];
    for (let n = 0; n < 20; n++) samples = fed(`1.${n}`, ...Array.from({ length: 60 }, () => n))(samples);
    expect(samples.length).toBeLessThanOrEqual(6);
    expect(Math.max(...samples.map(({ latencies }) => latencies.length))).toBe(40);
  });
});
