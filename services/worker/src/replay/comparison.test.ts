import { canonicalHash } from '@signalbox/shared/canonical';
import type { PassRecord } from '@signalbox/shared/contracts/execution-turn';
import { describe, expect, it } from 'vitest';
import { comparePasses } from './comparison.ts';

const hash = (text: string): string => canonicalHash(text);

function passOf(pass: number): PassRecord {
  return {
    pass,
    phases: ['THINKING', 'PROPOSING', 'GOVERNING', 'EXECUTING', 'OBSERVING', 'EVALUATING'],
    versions: { prompt: hash('prompt'), tools: hash('tools'), state: 3, model: 'm' },
    runs: { read: null, asked: null, acted: null },
    asks: [
      {
        node: 'product_owner',
        model: 'm',
        context: { hash: hash('c'), system: hash('s'), messages: hash('m'), tools: hash('t') },
        facts: { names: null, groups: [] },
        answer: null,
        durationMs: 1,
      },
    ],
    answer: { id: 'a', text: '', calls: [{ id: 'c1', name: 'look', args: {} }], unreadable: [], extras: {} },
    calls: [
      {
        callId: 'c1',
        decided: null,
        result: { ok: true, result: 1, say: 'one', code: null, changed: false },
        seen: hash('{"ok":true,"result":1}'),
        durationMs: 5,
      },
    ],
    outcome: 'continue',
  };
}

describe('a comparison of passes', () => {
  it('finds none where all is as it was, however long it took and whichever run did it', () => {
    const again = { ...passOf(1), calls: passOf(1).calls.map((call) => ({ ...call, durationMs: 700 })) };
    expect(comparePasses([passOf(1)], [again])).toBeNull();
  });

  it.each<[string, (pass: PassRecord) => unknown]>([
    ['version of the prompt', (pass) => (pass.versions.prompt = hash('other'))],
    ['version of the tools', (pass) => (pass.versions.tools = hash('other'))],
    ['version of the state', (pass) => (pass.versions.state = 4)],
    ['system prompt of product_owner', (pass) => Object.assign(pass.asks[0]?.context ?? {}, { system: hash('other') })],
    [
      'messages that product_owner was given',
      (pass) => Object.assign(pass.asks[0]?.context ?? {}, { messages: hash('o') }),
    ],
    ['tools that product_owner was given', (pass) => Object.assign(pass.asks[0]?.context ?? {}, { tools: hash('o') })],
    ['questions to models', (pass) => pass.asks.push(...passOf(1).asks)],
    ['answer', (pass) => (pass.answer = null)],
    ['call of look', (pass) => (pass.calls = [])],
    ['result of look', (pass) => Object.assign(pass.calls[0] ?? {}, { seen: hash('other') })],
    ['phases', (pass) => pass.phases.splice(3, 1)],
    ['verdict of the judge', (pass) => (pass.outcome = 'limit')],
  ])('names the %s, and the pass', (what, change) => {
    const other = passOf(2);
    change(other);
    expect(comparePasses([passOf(1), passOf(2)], [passOf(1), other])).toMatchObject({ pass: 2, what });
  });

  it('names a pass too many or too few', () => {
    expect(comparePasses([passOf(1), passOf(2)], [passOf(1)])).toMatchObject({ what: 'passes' });
    expect(comparePasses([passOf(1)], [passOf(1), passOf(2)])).toMatchObject({ what: 'passes' });
  });
});
