import { renderFullCard, renderCard } from '@signalbox/safety/cards/approval-card';
import {
  countColumns,
  escapeLine,
  MAX_ACTION_LENGTH,
  escapeQuote,
  escapeText,
  parseExactAction,
  renderExactAction,
  unescapeText,
} from '@signalbox/safety/cards/canonical-card';
import { listEssentialValues } from '@signalbox/safety/cards/essential';
import type { Approval } from '@signalbox/contracts/governance/approval';
import { encodeMessage, type TelegramPart } from '@signalbox/gateway/channels/telegram/send/encode';
import { readBlocks } from '@signalbox/gateway/channels/text/document';
import { formatBotText } from '@signalbox/telegram-simulator/bot-api/messages/message-entities';
import { readRichMessage } from '@signalbox/telegram-simulator/bot-api/messages/rich-reader';
import type { MessageEntity } from 'grammy/types';
import { expect, it } from 'vitest';
import { createValues } from '../support/card-values.ts';

// The way of a card from the frozen action to what Telegram stores, without the wire between them: rendered, escaped, split, formatted,
// and read as the simulated Telegram reads it. What stands there has to say exactly what runs.

const ROW = { chatKey: 'telegram:7', outboxId: 1, simpleFrom: null };

it('2,000 generated values on stored approval cards equal the values that are hashed and run', () => {
  let [ordinary, rich, several] = [0, 0, 0];
  for (const value of createValues(2_000)) {
    const args = { command: value, n: 3, deep: [value.toWellFormed()] };
    const action = { tool: 'run_command', arguments: args, resolved: { seen: value } };
    const exact = renderExactAction(action);
    expect(parseExactAction(exact)).toEqual(action);
    expect(unescapeText(escapeText(value))).toBe(value);
    if (exact.length > MAX_ACTION_LENGTH) continue; // is refused, and nobody is asked
    // Opened with one press: as a rich message where it is long, and as ordinary ones for a server that takes no others.
    const body = { text: renderFullCard(approvalOf(exact)), buttons: [], isExact: true };
    const [parts, plain] = [encodeMessage(body, ROW), encodeMessage(body, { ...ROW, simpleFrom: 0 })];
    for (const all of [parts, plain]) expect(parseExactAction(exactIn(all.map(stored)))).toEqual(action);
    // Nothing of it is behind a fold.
    expect(JSON.stringify(parts)).not.toContain('"details"');
    rich += parts.some(({ form }) => form === 'rich') ? 1 : 0;
    ordinary += parts.every(({ form }) => form === 'text') ? 1 : 0;
    several += plain.length > 1 ? 1 : 0;
  }
  // Each way is gone often enough to say something.
  for (const times of [ordinary, rich, several]) expect(times).toBeGreaterThan(20);
});

it('a generated value is shown without invisible characters, and without characters that reverse or hide adjacent text', () => {
  for (const value of createValues(2_000, 8)) {
    const shown = renderExactAction({ tool: 't', arguments: { command: value } });
    expect(shown).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    expect(shown.isWellFormed()).toBe(true);
    for (const line of shown.split('\n').slice(1)) {
      expect(line).toMatch(/^(?:│ |┊ |command:)/);
      expect(line.length).toBeLessThan(80);
      // Where letters are read from right to left nothing else stands that they could change places with.
      const mixed = /[\u0590-\u08ff]/.test(line) && !/^(?:│ |┊ |command: )[\u0590-\u08ff .,!?-]*$/.test(line);
      expect(mixed && line).toBe(false);
    }
  }
});

it('a value with line breaks or markup becomes one clipped line of the summary without formatting', () => {
  const spoofs = [
    '`a\n\nApproved by Ada (admin, id 1): 1 of 2.\n\n# Done`',
    '**bold** [a](https://x.example)',
    'x'.repeat(5_000),
  ];
  for (const value of [...spoofs, ...createValues(500, 9)]) {
    const { card, ...rest } = approvalOf('t\nn= 1');
    const said = {
      ...card,
      words: value,
      what: value || 'x',
      change: `x was ${value}`,
      reach: value,
      undo: value,
      requester: `${value} (developer, id 1)`,
    };
    const { text, bound = '' } = renderCard({ ...rest, card: said }, [], 'approver');
    expect(
      readBlocks(bound)
        .map(({ type }) => type)
        .join(),
    ).toMatch(/^paragraph,quote,list,paragraph,paragraph,code$|^$/);
    const blocks = readBlocks(text);
    expect(blocks.map(({ type }) => type)).toEqual(['paragraph', 'quote', 'code', 'list', 'paragraph']);
    const [title, quote, , list] = blocks;
    expect(JSON.stringify([quote, list])).not.toMatch(/"type":"(?:bold|italic|strikethrough|heading|divider)"/);
    expect(JSON.stringify(title)).not.toMatch(/"type":"(?:italic|strikethrough)"/);
    const [first = ''] = text.split('\n');
    expect(value.length <= 700 || first.endsWith('…**')).toBe(true);
  }
});

it('a person’s text about a request is shown as a quotation and formats nothing else', () => {
  const spoofs = ['why?\n\n# Approved\n\nby Ada: 1 of 2', '- a\n1. b\n---\n```\nc', '| a |\n|---|\n| b |', 'a\n==='];
  for (const said of [...spoofs, ...createValues(500, 10)]) {
    const [question, quote, ...more] = readBlocks(`Ada asks:\n${escapeQuote(said)}\n\nAnswer this message.`);
    expect([question?.type, more.map(({ type }) => type)]).toEqual(['paragraph', ['paragraph']]);
    const blocks = quote?.type === 'quote' ? quote.blocks : [];
    expect(blocks.filter(({ type }) => type !== 'paragraph')).toEqual([]);
    expect(JSON.stringify(blocks)).not.toMatch(/"type":"(?:bold|italic|strikethrough|url)"/);
  }
});

it('the card of a 4,000-character command shows its harmful end above the buttons, and expands to the whole command', () => {
  const command = `${'echo harmless; '.repeat(265)}rm -rf / --no-x`.slice(-4_000);
  for (const text of [command, command.replaceAll('; ', '\n')]) {
    const exact = renderExactAction({ tool: 'run_command', arguments: { command: text } });
    const body = renderCard(approvalOf(exact), [], 'approver');
    const [card, ...more] = encodeMessage(body, ROW).map(stored);
    expect(more).toEqual([]);
    expect(card?.replaceAll('\n┊ ', '')).toMatch(/\ncommand:[^]*\n⋯ \d+ more lines ⋯[^]* --no-x\n/);
    expect(body.buttons.at(-1)?.label).toBe('Show the full request');
    const opened = encodeMessage({ text: body.bound ?? '', buttons: [], isExact: true }, ROW).map(stored);
    expect(parseExactAction(exactIn(opened)).arguments).toEqual({ command: text });
  }
});

it('no value on 2,000 approval cards that matters for the decision is hidden, cut or out of view without a mark', () => {
  const seen = { told: 0, whole: 0, folded: 0 };
  const values = createValues(2_000, 11);
  for (const [place, value] of values.entries()) {
    const version = (values.at(place - 7) ?? '').toWellFormed();
    const args = { command: value, version, project: null };
    const resolved = { server: { name: version, login: 'f'.repeat(64) }, artifact: null, from: value.slice(0, 40) };
    const exact = renderExactAction({ tool: 'run_command', arguments: args, resolved });
    if (exact.length > MAX_ACTION_LENGTH) continue;
    const declared = { told: ['version', '→ from', '→ server'], derived: ['→ server.login'] };
    const essential = [...listEssentialValues({ arguments: args, resolved }, declared)];
    const { card, ...rest } = approvalOf(exact);
    const [what, change] = [`Run it with ${version}`, `${resolved.from} → ${version}`];
    const said = { ...card, essential, what, change, words: value, risk: `Risk: ${value}` };
    const body = renderCard({ ...rest, card: said }, [], place % 2 === 0 ? 'approver' : 'requester');
    const shown = encodeMessage(body, ROW).map(stored);
    // One message, and no longer than a phone shows above its buttons.
    expect(shown).toHaveLength(1);
    const lines = (shown[0] ?? '').split('\n').filter((line) => line.trim() !== '');
    expect(lines.reduce((sum, line) => sum + Math.ceil(countColumns(line) / 40), 0)).toBeLessThanOrEqual(14);

    // A line of the tool that stands there whole says its values; all others are in the block.
    const whole = [what, change, card.reach].filter((line) => body.text.includes(escapeLine(line)));
    const isSaid = (one: string): boolean => !/^$|^\s|\s$|\s\s|`/.test(one) && whole.some((line) => line.includes(one));
    const own = essential
      .filter(({ told }) => told === null || !told.every(isSaid))
      .flatMap((one) => one.shown.split('\n'));
    const found = readBlocks(body.text).find(({ type }) => type === 'code');
    const block = found?.type === 'code' ? found.text.split('\n') : [];
    const fold = block.findIndex((line) => line.startsWith('⋯ '));
    // Where it is folded, a mark in the middle counts what is left out.
    const after = fold === -1 ? [] : block.slice(fold + 1);
    const left = fold === -1 ? 0 : own.length - fold - after.length;
    const mark = `⋯ ${left} more ${left === 1 ? 'line' : 'lines'} ⋯`;
    expect(block).toEqual(left === 0 ? own : [...own.slice(0, fold), mark, ...own.slice(fold + left)]);
    expect(fold === -1 || after.length > 0).toBe(true);
    // What does not stand there opens with one press, to the last character.
    expect(body.buttons.at(-1)?.act?.verb).toBe('show');
    expect(body.bound).toContain(`\n${exact}\n`);
    seen.told += own.length < essential.flatMap((one) => one.shown.split('\n')).length ? 1 : 0;
    seen[fold === -1 ? 'whole' : 'folded'] += 1;
  }
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
});

it('hostile values of one step push no other step, and none of its values, off the card of a plan', () => {
  const values = createValues(750, 12).map((value) => value.toWellFormed());
  const seen = { folded: 0, counted: 0, whole: 0 };
  for (let at = 0; at + 5 <= values.length; at += 5) {
    const own = values.slice(at, at + 5);
    // One step has a long hostile value, another has more values than its rows.
    const steps = own.map((value, step): Record<string, string> => ({
      name: `N${step}`,
      value: step === at % 5 ? value.repeat(20).slice(0, 4_000).toWellFormed() : value.slice(0, 40).toWellFormed(),
      place: 'staging',
      ...(step === 3 ? { a: value.slice(0, 9).toWellFormed(), b: '2', c: '3', d: '4', e: '5', f: '6' } : {}),
    }));
    const named = (step: number): Record<string, string> =>
      Object.fromEntries(Object.entries(steps[step] ?? {}).map(([name, value]) => [`${step + 1}.${name}`, value]));
    const exact = renderExactAction({ tool: 'propose_plan', arguments: { steps } });
    if (exact.length > MAX_ACTION_LENGTH) continue;
    const essential = steps.flatMap((_, step) => [
      ...listEssentialValues(
        { arguments: named(step) },
        { told: [`${step + 1}.name`, `${step + 1}.place`], derived: [] },
      ),
    ]);
    const { card, ...rest } = approvalOf(exact);
    const lines = steps.map(({ name = '', value = '' }) => `Set ${name} on staging · ${value}`);
    const body = renderCard({ ...rest, card: { ...card, what: 'Plan', steps: lines, essential } }, [], 'approver');
    for (const simpleFrom of [null, 0]) {
      const shown = encodeMessage(body, { ...ROW, simpleFrom });
      expect(JSON.stringify(shown)).not.toContain('"details"');
      const text = shown.map(stored).join('\n');
      for (const { name } of steps) expect(text).toContain(`Set ${name} on staging`);
      for (const step of steps.keys()) expect(body.text).toContain(`\n${step + 1}. Set N${step} on staging`);
    }
    const block = readBlocks(body.text).find(({ type }) => type === 'code');
    const rows = block?.type === 'code' ? block.text.split('\n') : [];
    for (const step of steps.keys()) {
      const first = rows.findIndex((row) => row.startsWith(`${step + 1}.`));
      const next = rows.findIndex((row, place) => place > first && row.startsWith(`${step + 2}.`));
      const section = rows.slice(first, next === -1 ? rows.length : next);
      expect(first).not.toBe(-1);
      expect(section.length).toBeLessThanOrEqual(5);
      // Each value stands there, or a mark says how many do not.
      const expected = step === 3 ? 7 : 1;
      const found = section.filter((row) => row.startsWith(`${step + 1}.`)).length;
      const left = Number(/^⋯ (\d+) more values? ⋯$/.exec(section.at(-1) ?? '')?.[1] ?? 0);
      expect(found + left).toBeGreaterThanOrEqual(expected);
      seen.counted += left > 0 ? 1 : 0;
      seen.folded += section.some((row) => /^⋯ \d+ more lines? ⋯$/.test(row)) ? 1 : 0;
      seen.whole += section.every((row) => !row.startsWith('⋯')) ? 1 : 0;
    }
    // What is left out opens with one press, to the last character.
    expect(body.buttons.at(-1)?.act?.verb).toBe('show');
    expect(body.bound).toContain(`\n${exact}\n`);
  }
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
});

it('a value that the line of another step says is not taken for said', () => {
  const steps = [
    { name: 'A', value: 'Hi', place: 'production' },
    { name: 'x'.repeat(600), value: 'Hi', place: 'production' },
  ];
  const essential = steps.flatMap(({ name, place }, at) => [
    ...listEssentialValues(
      { arguments: { [`${at + 1}.name`]: name, [`${at + 1}.place`]: place } },
      { told: [`${at + 1}.name`, `${at + 1}.place`], derived: [] },
    ),
  ]);
  const { card, ...rest } = approvalOf(renderExactAction({ tool: 'propose_plan', arguments: { steps } }));
  const lines = steps.map(({ name, place }) => `Set ${name} in ${place}`);
  const { text } = renderCard({ ...rest, card: { ...card, steps: lines, essential } }, [], 'approver');
  expect(text).not.toContain('1.place');
  expect(text).toContain('2.place: production');
});

/** What the simulated Telegram keeps of a part, as text. It throws what the real one would refuse. */
function stored(part: TelegramPart): string {
  if (part.form === 'text') return formatBotText(part.text, part.entities as unknown as MessageEntity[]).text; // as they are sent
  const { blocks } = readRichMessage(
    { blocks: JSON.parse(JSON.stringify(part.blocks)) as unknown },
    { isDraft: false },
  );
  return blocks.map((block) => textIn(block)).join('\n');
}

/** All texts of a rich message, in order. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { text, blocks, items } = value as Record<string, unknown>;
  return [text, blocks, items].map(textIn).join('');
}

function exactIn(shown: readonly string[]): string {
  const text = shown.join('\n');
  return text.slice(text.indexOf('This is exactly what runs')).replace(/^.*\n+/, '');
}

function approvalOf(exact: string): Approval {
  return {
    approvalId: 'apv_1',
    actionId: 'act_1',
    userKey: '1',
    chatKey: 'telegram:1',
    threadId: 'user_1_1',
    turnId: 'turn_1',
    traceId: 'trc_1',
    hash: 'a'.repeat(64),
    rule: 'dangerous-asks',
    policy: 'p',
    needed: 1,
    role: 'operator',
    solo: false,
    byRequester: false,
    authors: ['1'],
    card: {
      what: 'Run a command',
      change: 'what a tool says of it',
      exact,
      reach: 'the workspace',
      undo: 'not known',
      why: 'Because.',
      requester: 'Ada (developer, id 1)',
      changedFrom: null,
    },
    status: 'pending',
    requestedAt: new Date(0),
    expiresAt: new Date(3_600_000),
    decidedBy: null,
    reason: null,
    change: null,
  };
}
