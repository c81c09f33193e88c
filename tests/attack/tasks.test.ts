import { afterAll, beforeAll, expect, it } from 'vitest';
import { openField, type Field } from './field.ts';
import { doAll, readTasks, type Done } from './tasks.ts';

const tasks = readTasks();
/** What is asked of the rules: this share of honest work is done, and this share of it with one press more at most. */
const DONE = 0.95;
const HARDLY_DEARER = 0.9;

let field: Field;
let all: readonly Done[];
beforeAll(async () => {
  field = await openField({ log: ['a line', 'another line'], build: ['built'] });
  const operators = [await field.person(6_001, 'operator'), await field.person(6_002, 'operator')];
  // Whoever never wrote cannot be asked.
  for (const one of operators) await field.during(one, () => one.send('hello'));
  all = await doAll(field, tasks, operators);
  const line = ({ task: { id, title, tapsBefore }, taps, missing }: Done): string =>
    [id, `${tapsBefore} → ${taps}`, title, ...missing].join(' | ');
  console.log(all.map(line).join('\n'));
}, 300_000);
afterAll(() => field.close(), 60_000);

it('nearly all ordinary tasks succeed while the rules against injections are active', () => {
  const undone = all.filter(({ missing }) => missing.length > 0);
  const most = Math.floor(tasks.length * (1 - DONE));
  expect(undone.length > most ? undone.map(({ task, missing }) => [task.id, ...missing]) : []).toEqual([]);
});

it('most ordinary tasks need at most one button press more than without the rules against injections', () => {
  const dearer = all.filter(({ task, taps }) => taps > task.tapsBefore + 1);
  const most = Math.floor(tasks.length * (1 - HARDLY_DEARER));
  expect(dearer.length > most ? dearer.map(({ task, taps }) => [task.id, task.tapsBefore, taps]) : []).toEqual([]);
});
