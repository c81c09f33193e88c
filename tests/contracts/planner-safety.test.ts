import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PriorContext, explainMessage } from '@signalbox/planner/explanation';
import { HeldoutFile } from './planner/heldout-schema.ts';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

// What is forbidden, doubted, imagined or told of others is never done and never asked about, however plainly it is said. What it may mean
// can be offered: nothing of that is done unless its button is pressed.

const { catalog } = createRegistry(await loadCapabilities());
const path = new URL('./planner/spoken.json', import.meta.url);
const { requests } = HeldoutFile.parse(JSON.parse(readFileSync(path, 'utf8')));
const looks = new Set(
  catalog.groups.flatMap(({ tools }) => tools.filter(({ isRead }) => isRead).map(({ name }) => name)),
);

type Request = (typeof requests)[number];

/** The changing tools that a text leads to: those that would be called or asked about, and those that would be offered. */
function listChanges(text: string, { context, names }: Pick<Request, 'context' | 'names'>) {
  const { calls, question } = explainMessage(catalog, text, PriorContext.parse({ ...context, names }));
  const isChange = (tool: string): boolean => !looks.has(tool) && tool !== 'search_knowledge';
  // A question that was open before is only put again.
  const asked = question?.tool && question.tool !== context?.question?.tool ? [question.tool] : [];
  const offered = (question?.readings ?? []).map(({ tool }) => tool).filter(isChange);
  return { proposed: [...calls.map(({ tool }) => tool), ...asked].filter(isChange), offered };
}

const changing = requests.filter((request) => {
  const { proposed, offered } = listChanges(request.text, request);
  return proposed.length + offered.length > 0;
});

describe('the set of requests that change something', () => {
  it('has more than eighty requests, of which each changes something', () => {
    expect(changing.length).toBeGreaterThan(80);
  });

  it.each([
    "don't",
    'do not',
    'please never',
    'should i',
    'should we really',
    'what happens if i',
    'what would happen if we',
    'yesterday ben said:',
    'the ticket says:',
    'ada wrote:',
  ])('proposes no change after the beginning “%s”', (beginning) => {
    const proposed = changing.flatMap((request) => {
      const text = `${beginning} ${request.text}`;
      const tools = listChanges(text, request).proposed;
      return tools.length > 0 ? [`${request.id} “${text}”: ${tools.join(', ')}`] : [];
    });
    expect(proposed).toEqual([]);
  });
});
