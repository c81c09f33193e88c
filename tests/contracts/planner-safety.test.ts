import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explain } from '@signalbox/planner/explanation';
import { HeldoutFile } from '@signalbox/planner/heldout-schema.fixture';
import { Story } from '@signalbox/planner/story';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';

// What is forbidden, doubted, imagined or told of others is never proposed, however plainly it is said.

const { catalog } = createRegistry(await loadCapabilities());
const path = new URL('../../shared/planner/src/spoken.fixture.json', import.meta.url);
const { requests } = HeldoutFile.parse(JSON.parse(readFileSync(path, 'utf8')));
/** Tools that only look; every other one changes something, or runs what somebody wrote. */
const LOOKS = /^(?:get|list|check|find|search|read|inspect|diagnose|export)_/;

/** The changing tools that a text would call, ask about, or offer. */
function changes(text: string, { context, names }: Pick<(typeof requests)[number], 'context' | 'names'>) {
  const { calls, question } = explain(catalog, text, Story.parse({ ...context, names }));
  const offered = (question?.readings ?? []).map(({ tool }) => tool);
  const proposed = [...calls.map(({ tool }) => tool), ...(question?.tool ? [question.tool] : []), ...offered];
  return proposed.filter((tool) => !LOOKS.test(tool));
}

const changing = requests.filter((request) => changes(request.text, request).length > 0);

describe('every request that changes something', () => {
  it('is one of many', () => {
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
  ])('proposes nothing after “%s”', (beginning) => {
    const proposed = changing.flatMap((request) => {
      const text = `${beginning} ${request.text}`;
      const tools = changes(text, request);
      return tools.length > 0 ? [`${request.id} “${text}”: ${tools.join(', ')}`] : [];
    });
    expect(proposed).toEqual([]);
  });
});
