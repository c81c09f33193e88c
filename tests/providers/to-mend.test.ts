import { Writable } from 'node:stream';
import { createLog } from '@signalbox/platform/log';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Fault } from '../support/model-wire.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { openModelBench, PERSON, type ModelBench } from './bench.ts';
import { KEY, QUESTION, spine, TESTED_PROVIDERS } from './providers.ts';

const Line = z.looseObject({ level: z.string(), message: z.string() });

/** Failures that no repetition mends: who can, learns what, and the person learns who can. */
describe('a model that somebody has to mend', () => {
  let bench: ModelBench;
  const lines: string[] = [];
  afterEach(() => bench.close());

  const start = async (env: Record<string, string> = {}) => {
    lines.length = 0;
    const sink = new Writable({
      write: (chunk: Buffer, _, done) => {
        lines.push(...String(chunk).trim().split('\n'));
        done();
      },
    });
    bench = await openModelBench({ log: createLog('test', 'info', sink) });
    const wire = await bench.serve(spine({ usage: null }));
    const access = TESTED_PROVIDERS.filter(({ id }) => id === 'anthropic' || id === 'openai');
    const config = Object.assign({ MODEL: 'anthropic' }, ...access.map((one) => one.env(wire.url)), env) as Record<
      string,
      string
    >; // each of them is one
    await bench.startWorker({ env: config });
    return { wire, config };
  };
  const errors = (): readonly string[] =>
    lines.filter((line) => Line.parse(JSON.parse(line)).level === 'error').map((line) => line);

  it.each<[string, Fault, RegExp, RegExp, RegExp]>([
    [
      'a refused key',
      { status: 401 },
      /refuses our key.*operator.*doctor/s,
      /check ANTHROPIC_API_KEY/,
      /ANTHROPIC_API_KEY/,
    ],
    ['a forbidden key', { status: 403 }, /refuses our key.*operator/s, /check ANTHROPIC_API_KEY/, /ANTHROPIC_API_KEY/],
    [
      'an unknown model',
      { status: 404, message: 'model: claude-sonnet-5' },
      /operator has to correct its name/s,
      /check ANTHROPIC_MODEL and ANTHROPIC_BASE_URL/,
      /Correct the name in ANTHROPIC_MODEL or MODEL/,
    ],
    ['an empty account', { status: 402 }, /no credit left.*operator/s, /no credit left/, /Add credit/],
    [
      'a refused request',
      { status: 400, message: 'tools.0.custom.input_schema: invalid' },
      /operator has to look at its settings/s,
      /refused the request \(HTTP 400/,
      /Look at what it refuses/,
    ],
  ])('is named to the person, in the log and by doctor: %s', async (_, fault, told, logged, remedy) => {
    const { wire, config } = await start();
    wire.plan(fault);
    expect((await bench.ask('I need a port')).join()).toMatch(told);
    expect(errors()).toEqual([expect.stringMatching(logged)]);
    expect(errors().join()).not.toContain(KEY);
    wire.plan(fault);
    const { out } = await openTerminal({ ...config, SIGNALBOX_RUN_FILE: '/nowhere/run.json' })('doctor');
    expect(out).toMatch(remedy);
  });

  it('is named in the log although another model answers', async () => {
    const { wire } = await start({ MODEL_FALLBACK: 'openai' });
    wire.plan({ status: 401 });
    expect(await bench.ask('I need a port')).toEqual([QUESTION]);
    expect(errors()).toEqual([expect.stringContaining('check ANTHROPIC_API_KEY')]);
  });

  it.each<Fault>([{ status: 500 }, { status: 429 }, 'end'])(
    'is not reported for what passes by itself: %j',
    async (fault) => {
      const { wire } = await start();
      wire.plan(fault);
      expect(await bench.ask('I need a port')).toEqual([QUESTION]);
      expect(errors()).toEqual([]);
      expect(await bench.replies(PERSON)).toHaveLength(1);
    },
  );

  it('is named in the log once when it refuses a setting', async () => {
    const { wire } = await start({ MODEL_TEMPERATURE: '0.2' });
    wire.plan({ status: 400, message: '`temperature` is deprecated for this model.' });
    await bench.ask('I need a port');
    await bench.ask('shop');
    expect(lines.filter((line) => line.includes('refuses a setting'))).toEqual([
      expect.stringContaining('"setting":"temperature"'),
    ]);
    expect(errors()).toEqual([]);
  });
});
