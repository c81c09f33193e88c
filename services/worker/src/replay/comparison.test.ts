import { hashCanonical } from '@signalbox/safety/cards/canonical';
import type { PassRecord, RecordedDecision } from '@signalbox/contracts/governance/execution-turn';
import { describe, expect, it } from 'vitest';
import { compareDecisions, comparePasses, findOtherVersions } from './comparison.ts';

const hash = (text: string): string => hashCanonical(text);

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

/** The part of a decision that is compared. */
const DECIDED = {
  action: { tool: 'look', toolVersion: '1', arguments: {}, resources: [], requester: { userKey: '1' }, assessment: {} },
  question: {},
  decision: { effect: 'run', rule: 'reads', score: 0, policyVersion: 'p', approval: null, sentence: 'Reads run.' },
  taint: null,
} as unknown as RecordedDecision;

describe('comparing a replayed turn with its record', () => {
  it('reports no difference when only duration and run id differ', () => {
    const again = { ...passOf(1), calls: passOf(1).calls.map((call) => ({ ...call, durationMs: 700 })) };
    expect(comparePasses([passOf(1)], [again])).toBeNull();
  });

  it('treats the phases of calls without a policy decision as equal', () => {
    const now = { ...passOf(1), phases: ['THINKING', 'PROPOSING', 'OBSERVING', 'EVALUATING'] };
    const resumed = { ...passOf(1), phases: ['IDLE', 'PROPOSING', 'OBSERVING', 'EVALUATING'] };
    expect([comparePasses([passOf(1)], [now]), comparePasses([passOf(1)], [resumed])]).toEqual([null, null]);
  });

  it('reports a call that ran in the record and is refused by policy in the replay', () => {
    const [ran, refused] = [true, false].map((isRun) => ({
      ...passOf(1),
      phases: ['THINKING', 'PROPOSING', 'GOVERNING', ...(isRun ? ['EXECUTING'] : []), 'OBSERVING', 'EVALUATING'],
      calls: passOf(1).calls.map((call) => ({ ...call, decided: DECIDED })),
    })) as [PassRecord, PassRecord];
    expect(comparePasses([ran], [refused])?.what).toBe('phases');
  });

  it('reports a changed risk level, but ignores the wording of its reasons', () => {
    const [was, worded, worse] = [
      { risk: 'safe', reasons: ['It only reads.'] },
      { risk: 'safe', reasons: ['Es liest nur.'] },
      { risk: 'dangerous', reasons: ['It only reads.'] },
    ].map((assessment) => ({ ...DECIDED, action: { ...DECIDED.action, assessment } })) as unknown as [
      RecordedDecision,
      RecordedDecision,
      RecordedDecision,
    ];
    expect(compareDecisions(was, worded, 'look')).toBeNull();
    expect(compareDecisions(was, worse, 'look')?.what).toMatch(/^proposal|^risk/);
  });

  const give = (pass: PassRecord, part: 'system' | 'messages' | 'tools' | 'hash'): unknown =>
    Object.assign(pass.asks[0]?.context ?? {}, { [part]: hash('other') });
  const ofPrompt: [string, (pass: PassRecord) => unknown][] = [
    ['system prompt of product_owner', (pass) => give(pass, 'system')],
    ['context of product_owner', (pass) => give(pass, 'hash')],
  ];
  const ofTools: typeof ofPrompt = [['tools that product_owner was given', (pass) => give(pass, 'tools')]];
  const ofNeither: typeof ofPrompt = [
    ['messages that product_owner was given', (pass) => give(pass, 'messages')],
    ['questions to models', (pass) => pass.asks.push(...passOf(1).asks)],
    ['answer', (pass) => (pass.answer = null)],
    ['call of look', (pass) => (pass.calls = [])],
    ['result of look', (pass) => Object.assign(pass.calls[0] ?? {}, { seen: hash('other') })],
    ['phases', (pass) => pass.phases.splice(5, 1)],
    ['verdict of the judge', (pass) => (pass.outcome = 'limit')],
  ];

  it.each([...ofPrompt, ...ofTools, ...ofNeither])(
    'reports a changed %s with the number of its pass of the agent loop',
    (what, change) => {
      const other = passOf(2);
      change(other);
      expect(comparePasses([passOf(1), passOf(2)], [passOf(1), other])).toMatchObject({ pass: 2, what });
    },
  );

  it.each<[keyof PassRecord['versions'], typeof ofPrompt, typeof ofPrompt]>([
    ['prompt', ofPrompt, [...ofTools, ...ofNeither]],
    ['tools', [...ofPrompt, ...ofTools], ofNeither],
    ['state', [], [...ofPrompt, ...ofTools, ...ofNeither]],
  ])('ignores only the differences that another version of the %s explains', (version, left, compared) => {
    const before = passOf(1);
    Object.assign(before.versions, { [version]: version === 'state' ? 2 : hash('before') });
    expect(findOtherVersions([before], [passOf(1)])).toEqual([version]);
    const changed = (change: (pass: PassRecord) => unknown): PassRecord[] => {
      const pass = passOf(1);
      change(pass);
      return [pass];
    };
    for (const [, change] of left) expect(comparePasses([before], changed(change))).toBeNull();
    for (const [what, change] of compared) expect(comparePasses([before], changed(change))).toMatchObject({ what });
  });

  it('reports an additional or missing pass of the agent loop', () => {
    expect(comparePasses([passOf(1), passOf(2)], [passOf(1)])).toMatchObject({ what: 'passes' });
    expect(comparePasses([passOf(1)], [passOf(1), passOf(2)])).toMatchObject({ what: 'passes' });
  });
});
