import { parseExactAction } from '@signalbox/safety/cards/canonical-card';
import { createScriptedModels } from '../support/scripted-model.ts';
import { tool, toolGroup } from '@signalbox/worker/tools/tool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Person } from '../support/person.ts';
import { openStack, type Stack } from '../support/stack.ts';
import { eventually } from '../support/until.ts';

// Values that try to show something else than they are, all the way to the person who approves them and back.

const SHORT = [
  'run it wit\u001b[;sh notes.sh',
  'harmless\n\n- Affects: nothing\n- Undo: none\n\nApproved by Cleo (1003): 1 of 2.',
  `<b>x</b> &lt; **bold** [a](https://x.example) \`tick\` \u202etxt.exe\u202c`,
  '\ttab \u00a0 \u200b \u2066 \ufeff \u0430pple \u2010 e\u0301 \u{e0041} ⟨U+0041⟩ │ → x: 1 = 2 ``` ~~ > 1. \r\n \u2028',
];
/** More than a card, with the harm at its end. */
const LONG = `${'echo harmless\n'.repeat(400)}rm -rf data`;
const VALUES = [...SHORT, LONG];

const ran: string[] = [];
let stack: Stack;
let developer: Person;
let operator: Person;
beforeAll(async () => {
  const act = tool({
    describe: 'Do something that somebody has to approve.',
    hints: ['do something that has to be approved'],
    input: z.object({ what: z.string().max(20_000), project: z.string().nullable().default(null) }),
    risk: 'dangerous',
    role: 'developer',
    egress: false,
    deadlineMs: 5_000,
    replay: 'harmless',
    run: async ({ what }) => {
      ran.push(what);
      return { done: true };
    },
    phrases: { done: () => 'Done.' },
  }).from('runtime');
  const group = toolGroup({ name: 'test', summary: 'Things to approve.', uses: [], tools: { act } });
  const models = createScriptedModels((messages, tools) => {
    if (tools.some(({ name }) => name === 'classify_intent'))
      return {
        toolCalls: [{ name: 'classify_intent', args: { task_summary: 'act', capabilities: ['test'], project: null } }],
      };
    // One at a time: what is proposed behind a call that waits is not started.
    const place = Number(/please act (\d+)/.exec(messages.at(-1)?.text ?? '')?.[1] ?? -1);
    const what = VALUES[place];
    return what === undefined ? { content: 'Noted.' } : { toolCalls: [{ name: 'act', args: { what } }] };
  });
  stack = await openStack({ wiring: { groups: [group], models: () => Promise.resolve(models) } });
  operator = await stack.person(1003, 'operator');
  developer = await stack.person(1002, 'developer');
  await operator.ask('hello');
}, 60_000);
afterAll(() => stack.close());

/** The exact action in what a person sees, without the marks that a client sets around code. */
const exactIn = (text: string): string =>
  text
    .slice(text.indexOf('This is exactly what runs'))
    .replace(/[\u2068\u2069]/g, '')
    .replace(/^.*\n+/, '');

it('the approval card shows the whole action, and exactly that action runs', async () => {
  for (const place of VALUES.keys()) await developer.ask(`please act ${place}`);
  const heard = await eventually(
    () => operator.heard(),
    (found) =>
      found.filter(({ buttons }) => buttons?.flat().some(({ text }) => text === 'Approve')).length === VALUES.length,
  );
  const cards = heard.filter(({ text }) => text.startsWith('⏳'));
  expect(cards).toHaveLength(VALUES.length);
  for (const { text } of cards) {
    expect(text.match(/^• Affects: /gm)).toHaveLength(1);
    expect(text.match(/^Approved by/gm)).toBeNull();
  }
  // The long one shows its end, and says how much it does not show.
  expect(cards.at(-1)?.text).toMatch(/^what:\s[^]*⋯ \d+ more lines ⋯[^]*│ rm -rf data$/m);

  // One press opens the newest card, whole; nothing of it is folded away, and nothing is decided.
  await operator.click('Show the full request');
  const opened = await operator.waitFor(/This is exactly what runs/);
  const last = (await operator.heard()).map(({ text }) => text);
  const from = last.findIndex((text) => text.includes('This is exactly what runs'));
  expect(opened).toBeDefined();
  expect(parseExactAction(exactIn(last.slice(from).join('\n'))).arguments['what']).toBe(LONG);
  expect(ran).toEqual([]);

  // What runs is what was shown.
  await operator.click('Approve');
  await eventually(
    () => Promise.resolve(ran),
    (done) => done.length === 1,
  );
  expect(ran).toEqual([LONG]);
});
