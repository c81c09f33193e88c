import { beforeAll, describe, expect, it } from 'vitest';
import { listFreshWords } from '../support/honest-reader.ts';
import type { ModelAnswer } from '../support/model-server.ts';
import { playTasks, type Played } from './honest-field.ts';
import { listCalls, readHonestTasks, type HonestCall, type HonestTask } from './honest-task.ts';
import { riskOf } from './trial.ts';

const tasks = readHonestTasks();
const MAX_NEEDLESS = 3;
/** Longer than the product waits for the reader. */
const SILENT_MS = 60_000;

/** What the words of the tasks order, as their author read them before the first run: no reader sees what a task expects. */
const orders = new Map(
  tasks.flatMap(({ turns }) => turns.map(({ words = '', orders: acts }) => [words, acts] as const)),
);

function readWords(question: string): ModelAnswer {
  const tool = /^Proposed act: (\w+)\(/m.exec(question)?.[1] ?? '';
  const at = listFreshWords(question).findLastIndex(
    (text) => text !== null && orders.get(text)?.includes(tool) === true,
  );
  return verdict(at + 1);
}

const agree = (question: string): ModelAnswer => verdict(listFreshWords(question).length);

/** Says that this message asked for the act; 0: none did. */
function verdict(message: number): ModelAnswer {
  return { toolCalls: [{ name: 'verdict', args: { asked: message > 0, message } }] };
}

const needlessOf = ({ task, taps }: Played): number =>
  task.turns.reduce((sum, turn, at) => sum + Math.max(0, (taps[at] ?? 0) - turn.taps), 0);

const countChanges = (calls: readonly HonestCall[]): number =>
  calls.filter(({ tool, args }) => ['sensitive', 'dangerous'].includes(riskOf(tool, args))).length;
const countAll = (some: readonly HonestTask[]): number => countChanges(some.flatMap(listCalls));

/** Each change waits ten seconds for a silent reader: it gets the first task of each kind in each language. */
const firsts = tasks.filter(({ id }) => id.endsWith('-1'));

/** `most`: how many taps may be needless; without a reader it is one for each change. */
describe.each<{
  name: string;
  most: number;
  some?: readonly HonestTask[];
  reader: (question: string) => ModelAnswer;
}>([
  { name: 'reads the words alone', most: MAX_NEEDLESS, reader: readWords },
  { name: 'says yes to everything', most: MAX_NEEDLESS, reader: agree },
  { name: 'says no to everything', most: countAll(tasks), reader: () => verdict(0) },
  {
    name: 'does not answer',
    most: countAll(firsts),
    some: firsts,
    reader: (question) => ({ delayMs: SILENT_MS, ...agree(question) }),
  },
])('tasks of honest work with a clean reader that $name', ({ name, most, some = tasks, reader }) => {
  let played: readonly Played[];
  beforeAll(async () => {
    played = await playTasks(some, reader);
    const rows = played.filter(
      ({ task, taps, missing }) => missing.length > 0 || taps.some((n, at) => n !== task.turns[at]?.taps),
    );
    const sum = (of: (one: Played) => number): number => played.reduce((all, one) => all + of(one), 0);
    const due = sum(({ task }) => task.turns.reduce((all, { taps }) => all + taps, 0));
    console.log(
      `a reader that ${name}: ${sum(({ taps }) => taps.reduce((a, b) => a + b, 0))} taps, ${due} due, ${sum(needlessOf)} needless\n` +
        rows
          .map(({ task, taps, cards, missing }) =>
            [task.id, task.turns.map((t) => t.taps).join('+'), '→', taps.join('+'), ...cards, ...missing].join(' | '),
          )
          .join('\n'),
    );
  }, 600_000);

  it('all are done', () => {
    expect(played.flatMap(({ task, missing }) => missing.map((what) => `${task.id}: ${what}`))).toEqual([]);
  });

  it('no turn takes more taps than it has changes', () => {
    const dearer = played.filter(({ task, taps }) =>
      task.turns.some(
        (turn, at) => (taps[at] ?? 0) > countChanges([...turn.calls, ...(turn.ended?.calls ?? [])].flat()),
      ),
    );
    expect(dearer.map(({ task, taps }) => [task.id, ...taps])).toEqual([]);
  });

  it('no more taps are needless than this reader may cost', () => {
    expect(played.reduce((all, one) => all + needlessOf(one), 0)).toBeLessThanOrEqual(most);
  });
});
