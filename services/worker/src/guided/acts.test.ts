import { expect, it } from 'vitest';
import { z } from 'zod';
import { chooseNextAct, endAct, joinOpenActs, noteBorrowed } from './acts.ts';
import type { Act, GuidedState } from './state.ts';

const act = (action: string, data: object = {}, by: Act['by'] = 'person'): Act => ({ action, data, by });
const [freeze, report, order] = [act('freeze'), act('report'), act('order')];

/** Chooses what comes after `current` has ended like this. */
function next(
  options: Partial<GuidedState['acts']> & {
    readonly open?: readonly Act[];
    readonly awaits?: boolean;
    readonly wish?: 'keep' | 'drop';
  },
) {
  const { open = [], awaits = false, wish, ...acts } = options;
  const meta = {
    sessionId: '',
    agentId: '',
    heard: { kind: 'action' as const, name: '' },
    next: '',
    by: 'person' as const,
    open: wish,
  };
  const chosen = chooseNextAct({
    acts: { current: null, next: [], ...acts },
    open,
    ui: { surfaceId: 'main', state: '', awaits },
    meta,
  });
  return [
    chosen.acts.current?.action ?? null,
    chosen.acts.next.map(({ action }) => action),
    chosen.open.map(({ action }) => action),
  ];
}

it('begins the actions of a message one after another', () => {
  expect(next({ current: freeze, next: [report, order] })).toEqual(['report', [], ['order']]);
  expect(next({ current: freeze })).toEqual([null, [], []]);
});

it('leaves the other actions open while the agent awaits something, and begins the oldest when it awaits nothing', () => {
  expect(next({ current: freeze, next: [report, order], awaits: true })).toEqual([null, [], ['report', 'order']]);
  expect(next({ open: [report, order] })).toEqual(['report', [], ['order']]);
  expect(next({ current: order, open: [freeze, report] })).toEqual(['freeze', [], ['report']]);
});

it('keeps an action that cannot be done yet in its place', () => {
  expect(next({ current: freeze, next: [report], awaits: true, wish: 'keep' })).toEqual([
    null,
    [],
    ['freeze', 'report'],
  ]);
  expect(next({ current: order, open: [freeze], wish: 'keep' })).toEqual([null, [], ['freeze', 'order']]);
  expect(next({ current: freeze, isAgain: true, open: [report], wish: 'keep' })).toEqual([
    null,
    [],
    ['freeze', 'report'],
  ]);
});

it('forgets what is open when the agent says so', () => {
  expect(next({ current: freeze, next: [order], open: [report], wish: 'drop' })).toEqual([null, [], []]);
});

it('goes on after an answer to a question of the person, and begins nothing that is open', () => {
  const answered = endAct({ current: act('ask'), next: [order] }, true);
  expect(next({ ...answered, open: [report], awaits: true })).toEqual(['order', [], ['report']]);
  expect(next({ ...endAct({ current: act('ask'), next: [] }, true), open: [report] })).toEqual([null, [], ['report']]);
  expect(endAct({ ...answered, isAnswered: false }, true).isAnswered).toBe(false);
});

it('completes an action by what was said about it before, when that fits', () => {
  const data = z.strictObject({ card: z.string().optional(), because: z.string().optional() });
  const actions = { freeze: { data, describe: null }, report: { data: z.strictObject({}), describe: null } };
  const open = [act('freeze', { because: 'stolen' }), report];
  expect(joinOpenActs([act('freeze', { card: '7702' })], open, actions)).toEqual({
    acts: [act('freeze', { because: 'stolen', card: '7702' })],
    open: [report],
  });
});

it('a value is borrowed when others wrote it, or when a model read it beside their words and the person did not say it', () => {
  const values = { card: '7702', transactions: ['tx_1'], count: 3 };
  expect(noteBorrowed([], [act('a', values, 'outside')], 'freeze 7702')).toEqual(['7702', 'tx_1', '3']);
  expect(noteBorrowed([], [act('a', values, 'model')], 'freeze 7702')).toEqual(['tx_1', '3']);
  expect(noteBorrowed(['x'], [act('a', values)], '')).toEqual(['x']);
});
