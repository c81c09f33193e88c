import { findFreePort } from '@signalbox/local/setup/free-port';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelWire, type Fault, type ModelWire, type WireScript } from '../support/model-wire.ts';
import { openTerminal } from '../integration/cli/terminal.ts';
import { TESTED_PROVIDERS } from './providers.ts';

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly say: string;
  readonly remedy: string | null;
}

const pinging: WireScript = () => ({ toolCalls: [{ name: 'ping', arguments: '{"word":"hello"}' }] });

describe('`signalbox doctor` with configured models', () => {
  let wire: ModelWire;
  let script: WireScript;
  beforeEach(async () => {
    script = pinging;
    wire = await startModelWire((request) => script(request));
  });
  afterEach(() => wire.close());

  const envOf = (id: string): Record<string, string> =>
    TESTED_PROVIDERS.find((provider) => provider.id === id)?.env(wire.url) ?? {};
  const examine = async (environment: Readonly<Record<string, string>>): Promise<readonly Finding[]> => {
    const { json } = await openTerminal({ SIGNALBOX_RUN_FILE: '/nowhere/run.json', ...environment })(
      'doctor',
      '--json',
    );
    const { findings } = json as { findings: readonly Finding[] }; // the shape that doctor prints
    return findings.filter(({ what }) => /^(model|fallback)/.test(what));
  };

  it.each(TESTED_PROVIDERS)(
    'finds no problem at $id when its model calls the test tool',
    async ({ id, env, model }) => {
      const say = expect.stringContaining(
        `${model} at 127.0.0.1:${new URL(wire.url).port} answers and calls tools`,
      ) as string;
      expect(await examine({ MODEL: id, ...env(wire.url) })).toMatchObject([{ what: 'model', state: 'ok', say }]);
      expect(wire.requests()).toHaveLength(1);
    },
  );

  it.each<[string, Fault, string, string, string]>([
    ['a refused key', { status: 401 }, 'fail', 'refuses the key (HTTP 401)', 'Put a valid key into ANTHROPIC_API_KEY'],
    ['no credit', { status: 402 }, 'fail', 'has no credit left (HTTP 402)', 'Add credit'],
    ['an unknown model', { status: 404 }, 'fail', 'knows no model claude-sonnet-5', 'ANTHROPIC_MODEL or MODEL'],
    ['a limit', { status: 429 }, 'warn', 'limits our rate', 'Wait a minute'],
    ['a failing server', { status: 500 }, 'fail', 'fails (HTTP 500): as planned', 'status page'],
    ['a refused call', { status: 400 }, 'fail', 'refuses a call with a tool (HTTP 400): as planned', 'can call tools'],
    [
      'a context that holds nothing',
      { status: 400, message: 'maximum context length is 10 tokens' },
      'fail',
      'has no room for a short question (HTTP 400)',
      'a larger context in ANTHROPIC_MODEL',
    ],
    ['an answer that breaks off', 'end', 'fail', 'answers something that is not a streamed chat', 'ANTHROPIC_BASE_URL'],
  ])('names a remedy for %s', async (_, fault, state, say, remedy) => {
    wire.plan(fault);
    expect(await examine({ MODEL: 'anthropic', ...envOf('anthropic') })).toEqual([
      {
        what: 'model',
        state,
        say: expect.stringContaining(say) as string,
        remedy: expect.stringContaining(remedy) as string,
      },
    ]);
    expect(wire.requests()).toHaveLength(1); // no second try: an operator waits
  });

  it('names MODEL_TEMPERATURE when a model refuses it, and does not when nobody has set it', async () => {
    const refused: Fault = { status: 400, message: '`temperature` is deprecated for this model.' };
    wire.plan(refused);
    const env = { MODEL: 'anthropic', ...envOf('anthropic') };
    expect(await examine({ ...env, MODEL_TEMPERATURE: '0.2' })).toMatchObject([
      {
        state: 'warn',
        say: expect.stringContaining('refuses MODEL_TEMPERATURE') as string,
        remedy: expect.stringContaining('Take MODEL_TEMPERATURE out') as string,
      },
    ]);
    wire.plan(refused);
    expect(await examine({ MODEL: 'openai', ...envOf('openai') })).toMatchObject([{ state: 'ok' }]);
    expect(wire.requests()).toHaveLength(4);
  });

  it('says so when a model answers without calling the test tool', async () => {
    script = () => ({ content: 'I would call the tool "ping" now.' });
    expect(await examine({ MODEL: 'ollama', ...envOf('ollama') })).toMatchObject([
      { state: 'warn', say: expect.stringContaining('did not call a tool') as string },
    ]);
  });

  it('names the model server to start when none answers', async () => {
    const [finding] = await examine({ MODEL: 'ollama', OLLAMA_BASE_URL: `http://127.0.0.1:${await findFreePort()}` });
    expect(finding).toMatchObject({ state: 'fail', say: expect.stringContaining('cannot be reached') as string });
    expect(finding?.remedy).toContain('OLLAMA_BASE_URL');
  });

  it('says so when a model is too slow', async () => {
    wire.plan('silence');
    const [finding] = await examine({ MODEL: 'openai', ...envOf('openai'), MODEL_DEADLINE_MS: '500' });
    expect(finding).toMatchObject({ state: 'fail', say: expect.stringContaining('did not answer within') as string });
  });

  it('tries each fallback model and each model of a node once', async () => {
    const findings = await examine({
      MODEL: 'openai',
      MODEL_FALLBACK: 'anthropic,openai,offline',
      MODEL_FOR: 'product_owner.intent_parser=openai:gpt-4.1-nano',
      ...envOf('openai'),
      ...envOf('anthropic'),
    });
    expect(findings.map(({ what, state, say }) => [what, state, say.split(' ')[0]])).toEqual([
      ['model', 'ok', 'openai:gpt-4.1-mini'],
      ['fallback', 'ok', 'anthropic:claude-sonnet-5'],
      ['fallback', 'ok', 'offline'],
      ['model of product_owner.intent_parser', 'ok', 'openai:gpt-4.1-nano'],
    ]);
    expect(wire.requests()).toHaveLength(3);
  });
});
