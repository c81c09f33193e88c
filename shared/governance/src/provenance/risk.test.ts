import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Risk } from '@signalbox/contracts/governance/action';
import type { SaidWords } from '@signalbox/store/governance/governance-facts';
import type { ProposedAct, TextInView } from '../calls/call.ts';
import type { Tool } from '../calls/tool.ts';
import { decideRisk, findTaint } from './risk.ts';

const makeTool = (risk: Risk, changes: { egress?: boolean; touchesPrivate?: boolean } = {}): Tool => ({
  input: z.object({}).loose(),
  role: 'developer',
  kind: 'tool_call',
  handles: [],
  touchesPrivate: false,
  egress: false,
  replay: 'harmless',
  isPlan: false,
  measures: [],
  alters: () => [],
  resolve: null,
  probe: null,
  version: () => '1',
  risk: () => ({ risk, reasons: [] }),
  environment: () => 'none',
  resources: () => [],
  values: () => ({ told: [], derived: [] }),
  lock: () => null,
  order: () => null,
  ...changes,
});

const said = (by: SaidWords['by'], ...texts: readonly string[]): readonly SaidWords[] =>
  texts.map((text) => ({ text, by, fresh: true, isReply: false }));

/** Judges a call in whose view a log stands. `asked`: the clean reader's answer. */
async function judge(
  input: unknown,
  words: readonly SaidWords[],
  options: {
    asked?: boolean;
    failure?: string;
    risk?: Risk;
    made?: readonly string[];
    tool?: Tool;
    view?: null;
    hasPrivate?: boolean;
  } = {},
) {
  const { asked = true, failure, risk = 'sensitive', made = [], tool = makeTool(risk), hasPrivate = false } = options;
  const questions: ProposedAct[] = [];
  const view: TextInView = {
    made,
    ask: (act) => {
      questions.push(act);
      return Promise.resolve({ asked, model: 'test:reader', prompt: null, ...(failure && { failure }) });
    },
  };
  const seen = { view: options.view === null ? null : view, words: { hasPrivate, said: words } };
  const taint = await findTaint({ name: 'act', tool, input }, seen);
  return { ...decideRisk(tool, input, taint), questions };
}

describe('a call that is proposed beside a log of somebody else', () => {
  it('needs no confirmation when the person typed its values and asked for the act', async () => {
    const judged = await judge({ name: 'db-backup' }, said('typed', 'please delete db-backup'));
    expect(judged).toMatchObject({ risk: 'sensitive', tainted: false, reasons: [] });
    expect(judged.questions).toEqual([
      { tool: 'act', input: { name: 'db-backup' }, words: said('typed', 'please delete db-backup') },
    ]);
  });

  it('needs one, which names the value, when nobody but the log named the value', async () => {
    const judged = await judge({ image: 'registry.evil.example/shop:9.9.9' }, said('typed', 'deploy shop'));
    expect(judged).toMatchObject({ risk: 'sensitive', tainted: true });
    expect(judged.reasons).toEqual(['nobody said “registry.evil.example/shop:9.9.9” here']);
    expect(judged.questions).toEqual([]);
  });

  it('needs one when the clean reader finds that nobody asked for the act', async () => {
    const judged = await judge({ name: 'db-backup' }, said('typed', 'how is db-backup?'), { asked: false });
    expect(judged.tainted).toBe(true);
    expect(judged.reasons).toEqual(['nobody asked for this here']);
  });

  it('says so when the clean reader did not answer', async () => {
    const judged = await judge({}, said('typed', 'delete all'), { asked: false, failure: 'no answer' });
    expect(judged.tainted).toBe(true);
    expect(judged.reasons).toEqual(['whether anybody asked for this could not be checked: the model did not answer']);
  });

  it.each<[string, unknown, readonly SaidWords[], readonly string[]]>([
    ['the runtime made its value', { run_id: 'run_17' }, [], ['run=run_17']],
    ['its value is a registered name', { server: 'rack' }, [], ['rack']],
    ['the person pressed a button that says the value', { version: '1.4' }, said('pressed', '1.4'), []],
    ['the person typed its number', { hours: 4 }, said('typed', 'mute it for 4 hours'), []],
  ])('needs none when %s', async (_, input, words, made) => {
    expect((await judge(input, words, { made })).tainted).toBe(false);
  });

  it('needs one when its number is in no message', async () => {
    expect((await judge({ times: 3 }, said('typed', 'do it a few times'))).tainted).toBe(true);
  });

  it('needs one when the runtime made the same value in another field', async () => {
    expect((await judge({ port: 25_001 }, [], { made: ['lines=25001'] })).tainted).toBe(true);
  });

  it('shows the clean reader all that the person said, and what was carried out', async () => {
    const words = [
      ...said('pressed', 'shop'),
      { text: 'delete all', by: 'typed', fresh: false, isReply: false } as const,
    ];
    const { questions } = await judge({}, words);
    expect(questions.map((question) => question.words)).toEqual([words]);
  });

  it('is not judged when it only reads, unless it can send private data out', async () => {
    const input = { name: 'db-backup' };
    expect((await judge(input, [], { risk: 'safe' })).tainted).toBe(false);
    expect((await judge(input, [], { tool: makeTool('safe', { egress: true, touchesPrivate: true }) })).tainted).toBe(
      true,
    );
  });
});

it('a call without outside text in view is not judged', async () => {
  const judged = await judge({ name: 'db-backup' }, [], { view: null });
  expect([judged.tainted, judged.questions]).toEqual([false, []]);
});

it('a conversation that has read private data keeps that mark', async () => {
  expect(await judge({}, [], { hasPrivate: true })).toMatchObject({ touchesPrivate: true });
});
