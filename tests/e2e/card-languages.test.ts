import { say } from '@signalbox/messages/say';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { foreignIn } from '../support/english.ts';
import type { Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';

// One request, several readers: each reads its card in their own language, whatever the requester reads.

let demo: DemoStack;
let readers: ReadonlyMap<Person, string>;
beforeAll(async () => {
  demo = await openDemoStack();
  const { ben, cleo, dara } = demo.people;
  readers = new Map([
    [ben, 'de'],
    [cleo, 'en'],
    [dara, 'es'],
  ]);
  for (const [person, language] of readers) await person.ask(`/language ${language}`);
  await ben.ask('register the demo project');
}, 90_000);
afterAll(() => demo.close(), 60_000);

/** The newest card of a person that matches. */
async function seeCard(person: Person, pattern: RegExp): Promise<string> {
  const find = async (): Promise<string | undefined> =>
    (await person.heard()).map(({ text }) => text).findLast((text) => /apv_/.test(text) && pattern.test(text));
  return (await eventually(find, (text) => text !== undefined, 60_000)) ?? '';
}

/** Presses the button of the newest card as soon as the button is there. */
async function press(person: Person, label: string): Promise<void> {
  await eventually(
    () => person.heard(),
    (heard) => heard.some(({ buttons }) => buttons?.flat().some(({ text }) => text === label)),
  );
  await person.click(label);
}

/** What of a card is in the language of another reader. */
function listForeign(card: string, reader: string): readonly string[] {
  return [...readers.values()].flatMap((other) => (other === reader ? [] : foreignIn(card, other, reader)));
}

it.each([
  ['German', () => demo.people.ben],
  ['English', () => demo.people.cleo],
])(
  'the card of a %s request is in the language of each reader, and so is what came of it',
  async (_, asker) => {
    const requester = asker();
    await requester.ask('deploy demo 1.0 to production');
    for (const [reader, language] of readers) {
      if (reader === demo.people.ben && requester !== reader) continue;
      const card = await seeCard(reader, /⏳/);
      expect(card).toContain(
        say('deploy.deploy', { project: 'demo', version: '1.0', environment: 'production' }, language),
      );
      expect(listForeign(card, language)).toEqual([]);
    }
    const others = [...readers].filter(([person]) => person !== requester && person !== demo.people.ben);
    for (const [person, language] of others.slice(0, 1)) {
      await press(person, say('card.button-reject', {}, language));
      await press(person, say('governance.reason-later', {}, language));
    }
    for (const [reader, language] of readers) {
      if (reader === demo.people.ben && requester !== reader) continue;
      const card = await seeCard(reader, /⛔/);
      expect(card).toContain(say('governance.reason-later', {}, language));
      expect(listForeign(card, language)).toEqual([]);
    }
  },
  120_000,
);

it('an approver reads in their own language that what a German requester asked for was done', async () => {
  const { ben, cleo, dara } = demo.people;
  await ben.ask('deploy demo 1.1 to production');
  for (const [person, language] of [
    [cleo, 'en'],
    [dara, 'es'],
  ] as const) {
    await press(person, say('card.button-approve', {}, language));
  }
  for (const [reader, language] of [
    [cleo, 'en'],
    [dara, 'es'],
    [ben, 'de'],
  ] as const) {
    const card = await seeCard(reader, /✅(?![\s\S]*⏳)[\s\S]*1\.1/);
    expect(listForeign(card, language)).toEqual([]);
  }
}, 120_000);

it('an approved request runs although its requester has changed their language meanwhile', async () => {
  const { ben, cleo, dara } = demo.people;
  await ben.ask('deploy demo 1.0 to production');
  await ben.ask('/language ru');
  for (const [person, language] of [
    [cleo, 'en'],
    [dara, 'es'],
  ] as const) {
    await press(person, say('card.button-approve', {}, language));
  }
  const card = await seeCard(cleo, /(?:✅|🚫)(?![\s\S]*⏳)[\s\S]*1\.0/);
  expect(card).not.toContain('🚫');
}, 120_000);

it.each([
  [2001, 'es', 'hola, que es esto?'],
  [2002, 'de', 'hallo, was ist das?'],
  [2003, 'ru', 'привет, что это?'],
  [2004, 'zh', '你好，这是什么？'],
  [2005, 'en', 'hello, what is this?'],
])(
  'newcomer %i, whose first message is in %s, gets cards in that language: %s',
  async (id, language, hello) => {
    const person = await demo.stack.person(id, 'developer');
    await person.ask(hello);
    await person.ask('deploy demo 1.0 to production');
    const card = await seeCard(person, /⏳/);
    const asked = { project: 'demo', version: '1.0', environment: 'production' };
    expect(card).toContain(say('deploy.deploy', asked, language));
    await person.click(say('card.button-withdraw', {}, language));
  },
  60_000,
);
