import { HumanMessage } from '@langchain/core/messages';
import { readConfig } from '@signalbox/platform/config';
import { openModel } from '@signalbox/models/open-models';
import { ModelConfig, readModelPlan } from '@signalbox/models/settings';
import { subscribeToDrafts, type Draft } from '@signalbox/platform/streams/drafts';
import { afterEach, describe, expect, it } from 'vitest';
import { startModelWire, type ModelWire } from '../support/model-wire.ts';
import { eventually } from '../support/until.ts';
import { openModelBench, PERSON, type ModelBench } from './bench.ts';
import { QUESTION, spine, TESTED_PROVIDERS } from './providers.ts';

/** Escapes, quotes, line breaks and characters of two and more units, so that any cut hits one of them. */
const HARD = 'Grüße "an" \\alle\\ \n\u{1F6A2}\u{1F469}\u200D\u{1F680} \u0007 fertig';
/** Providers that send the arguments of a call in pieces; the others send a call at once. */
const IN_PIECES = ['openai', 'anthropic', 'azure_openai', 'openai_compatible'];

describe.each(TESTED_PROVIDERS)('the draft that is shown while $id writes', ({ id, env }) => {
  let wire: ModelWire;
  afterEach(() => wire.close());

  const watch = async (answer: Parameters<typeof startModelWire>[0], chunkSize: number): Promise<readonly string[]> => {
    wire = await startModelWire(answer, { chunkSize });
    const { main, limits } = readModelPlan(readConfig(ModelConfig, { MODEL: id, ...env(wire.url) }));
    const model = await openModel(main, { catalog: () => ({ groups: [] }), prices: new Map(), limits });
    const shown: string[] = [];
    await model.ask({
      messages: [new HumanMessage('hello')],
      tools: [{ name: 'respond_to_user', description: 'Says.', schema: { type: 'object', properties: {} } }],
      object: null,
      signal: new AbortController().signal,
      draft: { tool: 'respond_to_user', field: 'message', show: (text) => shown.push(text) },
    });
    return shown;
  };
  const check = (shown: readonly string[]): void => {
    expect(shown.at(-1)).toBe(HARD);
    for (const text of shown) {
      expect(HARD.startsWith(text)).toBe(true);
      expect(text).not.toMatch(/[\uD800-\uDBFF]$/);
    }
  };

  it.each([1, 2, 3, 5])('is the text so far, when the answer arrives in pieces of %i characters', async (chunkSize) => {
    const shown = await watch(() => ({ content: HARD }), chunkSize);
    check(shown);
    expect(shown.length).toBeGreaterThan(HARD.length / chunkSize / 2);
  });

  it.each([1, 2, 3, 5])(
    'is the message argument of a tool call, when the call arrives in pieces of %i characters',
    async (chunkSize) => {
      const args = JSON.stringify({
        choices: [{ label: 'a', value: 'message' }],
        message: HARD,
        awaiting_response: true,
      });
      // Some servers escape what is not ASCII.
      const escaped = args.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      for (const written of [args, escaped]) {
        const shown = await watch(() => ({ toolCalls: [{ name: 'respond_to_user', arguments: written }] }), chunkSize);
        check(shown);
        expect(shown.length).toBeGreaterThanOrEqual(IN_PIECES.includes(id) ? HARD.length / chunkSize / 4 : 1);
        await wire.close();
      }
    },
  );
});

describe('the draft that a person sees', () => {
  let bench: ModelBench;
  afterEach(() => bench.close());

  it('is published during the answer, and removed when the message is sent', async () => {
    bench = await openModelBench();
    const drafts: Draft[] = [];
    const { redisUrl, prefix, log } = bench;
    const listener = await subscribeToDrafts({ redisUrl, prefix, log, onDraft: (draft) => void drafts.push(draft) });
    const wire = await bench.serve(spine({ usage: null }));
    const provider = TESTED_PROVIDERS.find(({ id }) => id === 'anthropic');
    await bench.startWorker({ env: { MODEL: 'anthropic', ...provider?.env(wire.url), MODEL_TIMEOUT_MS: '3000' } });
    wire.plan('hang'); // half of the question comes, then nothing until the try is given up
    await bench.say(PERSON, 'I need a port');
    const [half] = await eventually(
      () => Promise.resolve(drafts),
      (all) => all.length > 0,
    );
    expect(half?.text).not.toBe('');
    expect(half?.text).not.toBe(QUESTION);
    expect(QUESTION.startsWith(half?.text ?? '?')).toBe(true);
    expect(await bench.replies(PERSON)).toEqual([]);
    await bench.settle();
    expect(await bench.replies(PERSON)).toEqual([QUESTION]);
    await eventually(
      () => Promise.resolve(drafts),
      (all) => all.at(-1)?.final === true,
    );
    await listener.close();
  });

  it('is empty with the built-in planner', async () => {
    bench = await openModelBench();
    const drafts: Draft[] = [];
    const { redisUrl, prefix, log } = bench;
    const listener = await subscribeToDrafts({ redisUrl, prefix, log, onDraft: (draft) => void drafts.push(draft) });
    await bench.startWorker({ env: { MODEL: 'offline' } });
    await bench.ask('list the servers');
    expect(drafts).toEqual([]);
    await listener.close();
  });
});
