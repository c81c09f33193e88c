import { afterEach, describe, expect, it } from 'vitest';
import { startModelWire, type Fault, type ModelWire } from '../support/model-wire.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';
import { KEY, QUESTION, spine, TESTED_PROVIDERS, type TestedProvider } from '../providers/providers.ts';

/** Far below the minute after which a silent call ends by itself, and enough for a machine that is busy. */
const PATIENCE_MS = 20_000;

/** The real client of each provider against aimock's server of it, through the whole product. */
describe.each(TESTED_PROVIDERS)('a conversation with $id', (provider) => {
  let wire: ModelWire;
  let stack: Stack;
  afterEach(async () => {
    await stack.close();
    await wire.close();
  });

  const open = async (env: Record<string, string> = {}): Promise<void> => {
    wire = await startModelWire(spine(provider));
    stack = await openStack({ env: { MODEL: provider.id, ...provider.env(wire.url), ...env } });
    await stack.pool.query(
      `insert into projects (name, description, owner, status, action_id) values ('shop', 'tea', '1001', 'active', 'seed')`,
    );
  };

  it('asks a question, acts and ends, through a 429, a 500, a cut stream and a silent server', async () => {
    await open({ MODEL_TIMEOUT_MS: '3000' });
    const ada = await stack.person(1001, 'admin');
    wire.plan({ status: 429 }, { status: 500 }, null); // the question
    expect(await ada.ask('I need a port')).toEqual([QUESTION]);
    wire.plan('cut', null, 'silence', null); // the call of the tool, then its result
    expect(await ada.ask('shop')).toEqual([
      expect.stringMatching(/^Done: port \d+\.\n\n🧾 allocate port shop .*\/why_\w+$/),
    ]);
    wire.plan('end', null); // an answer that breaks off without an error
    expect((await ada.ask('thanks')).join()).toMatch(/closed this task/);

    expect(wire.requests()).toHaveLength(9);
    const { rows: allocations } = await stack.pool.query('select project from port_allocations');
    expect(allocations).toEqual([{ project: 'shop' }]);
    const { rows: turns } = await stack.pool.query('select outcome, model, tool_calls from turns order by started_at');
    expect(turns).toEqual([
      { outcome: 'waiting', model: provider.model, tool_calls: 1 },
      { outcome: 'answered', model: provider.model, tool_calls: 1 },
      { outcome: 'finished', model: provider.model, tool_calls: 1 },
    ]);
    const { rows: threads } = await stack.pool.query('select thread_id, status from threads');
    expect(threads).toEqual([{ thread_id: 'user_1001_1', status: 'finished' }]);
  });

  it.each(['hang', 'silence'] satisfies Fault[])(
    '/stop closes the connection of a model call in its %s',
    async (fault) => {
      await open(); // with the usual minute of patience: only the abort can close it in time
      const ada = await stack.person(1001, 'admin');
      wire.plan(fault);
      await ada.send('I need a port');
      await eventually(
        () => Promise.resolve([wire.requests().length, wire.open()]),
        ([asked, under]) => asked === 1 && under === 1,
      );
      expect(wire.abandoned()).toBe(0);
      await ada.send('/stop');
      await eventually(
        () => Promise.resolve(wire.abandoned()),
        (abandoned) => abandoned === 1,
        PATIENCE_MS,
      );
      expect(wire.open()).toBe(0);
      expect(await ada.waitFor(/^Stopped/)).toContain('Nothing was changed');
      expect(wire.requests()).toHaveLength(1); // an abort is not tried again
      const { rows } = await stack.pool.query(`select outcome from turns`);
      expect(rows).toEqual([{ outcome: 'stopped' }]);
    },
  );

  it('sends the API key where this provider expects it, and nowhere else', async () => {
    await open();
    await (await stack.person(1001, 'admin')).ask('I need a port');
    for (const { headers, path, body } of wire.requests()) {
      expect(holdersOf(headers)).toEqual(keyHeader(provider));
      expect(path + JSON.stringify(body)).not.toContain(KEY);
    }
  });
});

function holdersOf(headers: Readonly<Record<string, string | string[] | undefined>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (String(value).includes(KEY) ? [name] : []));
}

function keyHeader({ id }: TestedProvider): readonly string[] {
  switch (id) {
    case 'anthropic':
      return ['x-api-key'];
    case 'google':
      return ['x-goog-api-key'];
    case 'azure_openai':
      return ['api-key'];
    case 'ollama':
      return [];
    default:
      return ['authorization'];
  }
}
