import { describe, expect, it } from 'vitest';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

const { catalog } = createRegistry(await loadCapabilities());
const story = PriorContext.parse({ names: { project: ['shop', 'coffee'], server: ['local'] } });
const toolOf = (text: string): string | undefined => {
  const { calls, question } = explainMessage(catalog, text, story);
  return calls[0]?.tool ?? question?.tool ?? question?.readings?.[0]?.tool;
};

describe('small talk', () => {
  it.each([
    ['is coffee ok?', 'check_service_health'],
    ['coffee logs', 'get_service_logs'],
    ['deploy coffee', 'trigger_deploy'],
    ['remember that I deploy every monday', 'remember_fact'],
    ['remember that I like coffee', 'remember_fact'],
  ])('is not what names a project or orders in fixed words: %s', (text, tool) => {
    expect(toolOf(text)).toBe(tool);
  });

  it.each(['haha, happy friday', 'I love lunch', 'what a funny robot'])('is still what it was: %s', (text) => {
    expect(explainMessage(catalog, text, story)).toMatchObject({ calls: [], says: { kind: 'small-talk' } });
  });
});

it.each([
  ['errors of shop since monday', 'since', 'monday'],
  ['errors of shop in the last 2 hours', 'hours', 2],
])('the error history takes a start time as well as hours: %s', (text, name, value) => {
  const { calls } = explainMessage(catalog, text, story);
  expect(JSON.stringify(calls)).toContain(JSON.stringify({ [name]: value }).slice(1, -1));
});

it.each(['in production to 30.', 'to 30 in production.', 'in production to 30, please'])(
  'the value of a variable ends before the place and the end of the sentence: %s',
  (rest) => {
    const { calls } = explainMessage(catalog, `Set TIMEOUT of shop ${rest}`, story);
    expect(calls[0]?.arguments).toEqual({ project: 'shop', environment: 'production', name: 'TIMEOUT', value: '30' });
  },
);
