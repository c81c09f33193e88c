import { Writable } from 'node:stream';
import { createLog } from '@signalbox/platform/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../support/model-wire.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { openModelBench, type ModelBench } from './bench.ts';
import { KEY, spine, TESTED_PROVIDERS } from './providers.ts';

/** Their servers quote the key in every refusal, as some do. Ollama has none. */
const WITH_KEY = TESTED_PROVIDERS.filter(({ env }) => Object.values(env('')).includes(KEY));

/** What a person reads instead: which of our settings the server refuses. */
const REFUSAL = /^The (?:server of the )?language model /;

describe.each(WITH_KEY)('the key of $id', ({ id, env }) => {
  let bench: ModelBench;
  let logged = '';
  beforeEach(async () => {
    logged = '';
    const sink = new Writable({
      write: (chunk: Buffer, _, done) => {
        logged += String(chunk);
        done();
      },
    });
    bench = await openModelBench({ log: createLog('test', 'trace', sink) });
  });
  afterEach(() => bench.close());

  /** Everything that is stored, as text. */
  const stored = async (): Promise<string> => {
    const { rows: tables } = await bench.pool.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await bench.pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
        return rows.map(({ row }) => row).join('\n');
      }),
    );
    // Binary columns come as \x…: what they hold is looked at as text too.
    return texts
      .join('\n')
      .replace(/\\\\x([0-9a-f]+)/g, (all, hex: string) => all + Buffer.from(hex, 'hex').toString());
  };

  it('is in no log, no table and no reply, whatever the model server answers', async () => {
    const wire = await bench.serve(spine({ usage: null }));
    await bench.startWorker({ env: { MODEL: id, ...env(wire.url) } });
    const quoting = (status: number): Fault => ({ status, message: `Bad key ${KEY} for "I need a port"` });
    const faults: readonly Fault[] = [quoting(401), quoting(400), quoting(404), quoting(403)];
    for (const fault of faults) {
      wire.plan(fault);
      expect((await bench.ask('I need a port')).join()).toMatch(REFUSAL);
    }
    wire.plan(quoting(500), quoting(429), 'cut', quoting(500), 'end');
    await bench.ask('I need a port');
    await bench.settle();
    expect(logged).toContain('turn cut short');
    expect(logged).toContain('ModelFailure');
    const tables = await stored();
    expect(tables).toContain('I need a port'); // it does look at everything
    for (const [where, text] of Object.entries({ logged, tables, replies: (await bench.replies('7')).join() }))
      expect([where, text.includes(KEY)]).toEqual([where, false]);
    expect(logged).not.toContain('I need a port'); // nor what people write
  });

  it('is not in the output of doctor', async () => {
    const wire = await bench.serve(spine({ usage: null }));
    for (const status of [401, 400, 404, 500]) {
      wire.plan({ status, message: `Bad key ${KEY}` });
      const { out } = await openTerminal({ MODEL: id, ...env(wire.url), SIGNALBOX_RUN_FILE: '/nowhere/run.json' })(
        'doctor',
      );
      expect(out).toContain(`HTTP ${status}`);
      expect(out).not.toContain(KEY);
    }
  });
});
