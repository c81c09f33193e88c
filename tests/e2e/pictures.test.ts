import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelWire, type ModelWire } from '../support/model-wire.ts';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

/** One red pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

interface Bench {
  readonly stack: Stack;
  readonly ada: Person;
  /** Sends a photo, and answers what the bot says then. */
  show(text: string): Promise<string>;
}

async function openBench(env: Readonly<Record<string, string>>): Promise<Bench> {
  const stack = await openStack({ env, jobs: true, pools: ['agents'] });
  const ada = await stack.person(1001, 'admin');
  const show = async (text: string): Promise<string> => {
    const before = (await ada.heard()).length;
    const admitted = await count(stack, 'inbox');
    const response = await fetch(`${stack.simulatorUrl}/api/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: 1001, text, files: [{ kind: 'photo', data: PIXEL }] }),
    });
    expect(await response.json()).toMatchObject({ ok: true });
    await eventually(
      () => count(stack, 'inbox where outcome is not null'),
      (settled) => settled > admitted,
    );
    await eventually(
      () => count(stack, `outbox where status in ('pending', 'sending')`),
      (unsent) => unsent === 0,
    );
    return (await ada.heard())
      .slice(before)
      .map((message) => message.text)
      .join('\n');
  };
  return { stack, ada, show };
}

async function count({ pool }: Stack, what: string): Promise<number> {
  return (await pool.query<{ n: number }>(`select count(*)::int as n from ${what}`)).rows[0]?.n ?? 0;
}

describe('pictures, with a model that sees', () => {
  let bench: Bench;
  let wire: ModelWire;
  beforeAll(async () => {
    wire = await startModelWire((request) => {
      const tools = (request.tools ?? []).map((tool) => tool.function.name);
      const intent = JSON.stringify({ task_summary: 'look at it', capabilities: [], project: null });
      if (tools.includes('classify_intent')) return { toolCalls: [{ name: 'classify_intent', arguments: intent }] };
      return { content: 'I have looked.' };
    });
    bench = await openBench({
      MODEL: 'openai_compatible:local',
      MODEL_SEES: 'openai_compatible:local',
      OPENAI_COMPATIBLE_BASE_URL: `${wire.url}/v1`,
    });
  });
  afterAll(async () => {
    await bench.stack.close();
    await wire.close();
  });
  const shownSince = (from: number): number =>
    wire
      .requests()
      .slice(from)
      .filter(({ body }) => JSON.stringify(body).includes(PIXEL)).length;

  it('are shown to the model with their caption, only in the turn in which they arrive', async () => {
    const before = wire.requests().length;
    expect(await bench.show('what is on this?')).toContain('I have looked.');
    expect(shownSince(before)).toBe(1);
    const between = wire.requests().length;
    await bench.ada.ask('and what was on it?');
    expect(wire.requests().length).toBeGreaterThan(between);
    expect(shownSince(between)).toBe(0);
  });

  it('are answered without a caption too', async () => {
    const before = wire.requests().length;
    expect(await bench.show('')).toContain('I have looked.');
    expect(shownSince(before)).toBe(1);
  });

  it('taint the conversation, and their bytes are in no table and no Redis key', async () => {
    const { stack } = bench;
    expect(await count(stack, 'thread_taints')).toBeGreaterThan(0);
    const { rows } = await stack.pool.query<{ place: string }>(
      `select format('%I.%I', table_schema, table_name) as place from information_schema.tables
        where table_schema in ('public', 'langgraph') and table_type = 'BASE TABLE'`,
    );
    const [inText, inHex] = [PIXEL.slice(0, 40), Buffer.from(PIXEL, 'base64').toString('hex').slice(0, 40)];
    for (const { place } of rows) {
      const found = `${place} t where t::text like '%${inText}%' or t::text like '%${inHex}%'
        or t::text like '%${Buffer.from(inText).toString('hex')}%'`;
      expect({ place, n: await count(stack, found) }).toEqual({ place, n: 0 });
    }
  });

  it('that Telegram does not deliver are reported as lost, and their caption is answered', async () => {
    const before = wire.requests().length;
    const fault = { method: 'getFile', error: { code: 400, description: 'Bad Request: wrong file_id' } };
    await fetch(`${bench.stack.simulatorUrl}/api/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    const said = await bench.show('what is on this?');
    expect(said).toContain('I could not look at the picture');
    expect(said).toContain('I have looked.');
    expect(shownSince(before)).toBe(0);
  });
});

describe('pictures, with a model that does not see', () => {
  let bench: Bench;
  beforeAll(async () => void (bench = await openBench({ MODEL: 'offline' })));
  afterAll(() => bench.stack.close());

  it('are not shown to the model, and the answer says what to do instead', async () => {
    expect(await bench.show('')).toBe(
      'I got the file: attachments/photo.jpg, in the folder of this conversation. Please write what you need.\n\n' +
        'I cannot look at pictures: the model that answers here reads words only. ' +
        'Please describe in words what I should know, or copy the text that is on it.',
    );
  });

  it('do not change how their caption is understood, and the answer says that the picture was not seen', async () => {
    const said = await bench.show('list the projects');
    expect(said).toContain('I cannot look at the picture');
    expect(said).toMatch(/projects/i);
  });
});
