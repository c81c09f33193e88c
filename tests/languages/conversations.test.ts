import { LANGUAGES, getLanguageName } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { createRegistry, loadCapabilities } from '@signalbox/worker/tools/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { englishIn } from '../support/english.ts';
import { openPerson, type Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';

// What was said in one language stays in it: each has a product of its own.
let demo: DemoStack;
beforeEach(async () => {
  demo = await openDemoStack();
}, 60_000);
afterEach(() => demo.close(), 60_000);

/** Words that hold English sentences together, and that none of the other languages has. */
const ENGLISH = /\b(?:the|and|of|there|this|you|your|with|its|answers|nothing|from|by|which|has|have|not)\b/i;

/** Three Latin words in a row, which no sentence of a language with other letters has. */
const LATIN = /\b[A-Za-z]{2,}(?: [A-Za-z]{2,}){2,}/;

/** Examples of orders, which are typed. */
const { catalog } = createRegistry(await loadCapabilities());
const hints = new Set(catalog.groups.flatMap(({ tools }) => tools).flatMap((tool) => tool.hints));
/** What a program wrote, what a rule of the owner says, and what a driver tells of its machine. */
const LOGGED = /cannot read the prices|the shop (?:is open|closes)/;
const OWNERS = /A small web shop to try deployments with\.|process on Linux[^)]*\)/g;
/** What the product itself says in English: without orders that are typed, code, logs and what the project brings along. */
function ownWords(text: string, language: string): readonly string[] {
  const isForeign = /^(?:ru|zh)$/.test(language)
    ? (line: string) => LATIN.test(line) || ENGLISH.test(line)
    : (line: string) => ENGLISH.test(line);
  return text
    .replace(/```[\s\S]*?```/g, '')
    .split('\n')
    .filter((line) => !hints.has(line.replace(/^(?:- |• )| – .*$/g, '')) && !LOGGED.test(line))
    .map((line) => line.replace(/“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`|\/\w+ [\w ]+/g, '').replace(OWNERS, ''))
    .filter(isForeign);
}

/** Presses a button as soon as it is there. */
async function press(person: Person, label: string): Promise<void> {
  await eventually(
    () => person.heard(),
    (messages) => messages.some(({ buttons }) => buttons?.flat().some(({ text }) => text === label)),
  );
  await person.click(label);
}

describe.each(LANGUAGES.filter((one) => one !== 'en'))('a conversation in %s', (language) => {
  it('contains no English sentence of the product during a deployment, its problems and an approval', async () => {
    const { ben, cleo, dara, eli } = demo.people;
    const heard = new Map<Person, number>();
    for (const person of [ben, cleo, dara, eli]) {
      const said = await person.ask(`/language ${language}`);
      expect(said.join()).toContain(getLanguageName(language));
      heard.set(person, (await person.heard()).length);
    }
    await ben.ask('/new');
    await ben.ask('hello');
    await ben.ask('/help');
    await ben.ask('register the demo project');
    await demo.tell(ben, 'deploy demo 1.0 to staging', /✅/);
    await ben.ask('how is the deploy going');
    await ben.ask('what runs on staging');
    await ben.ask('is demo healthy in staging');
    await ben.ask('is demo ready to deploy to production');
    await ben.ask('deploy demo 9.9 to staging');
    await demo.tell(ben, 'deploy demo 1.2 to staging', /❌/);
    await ben.ask('deploy demo 1.1 to production');
    await press(cleo, say('card.button-reject', {}, language));
    await press(cleo, say('governance.reason-later', {}, language));
    await eli.ask('deploy demo 1.0 to staging');
    await eli.ask('/freeze');
    await ben.ask('show the deploy logs');
    await ben.ask('list the servers');
    await ben.ask('/whoami');
    await ben.ask('/approvals');
    await ben.ask('what became of my request');
    await ben.ask('why did it break');
    await demo.tell(ben, 'deploy demo 1.1 to staging', /✅/);
    await demo.tell(ben, 'roll back demo in staging', /✅[\s\S]*1\.0/);
    await ben.ask('deploy demo 1.0 to production');
    for (const person of [cleo, dara]) await press(person, say('card.button-approve', {}, language));
    await eventually(
      () => ben.heard(),
      (messages) => messages.some(({ text }) => /✅[\s\S]*production/.test(text)),
      60_000,
    );
    for (const command of ['/status', '/why', '/secret list', '/grants', '/queues', '/deny nobody', '/nonsense'])
      await ben.ask(command);
    await ben.ask('list the projects');
    await ben.ask('deploy zebra to staging');
    await ben.ask('stop demo in production');
    await ben.ask('show the node logs');
    await ben.ask('thanks, that is all');
    const english: string[] = [];
    for (const [person, before] of heard)
      for (const { text, buttons } of (await person.heard()).slice(before))
        english.push(
          ...[text, ...(buttons ?? []).flat().map((button) => button.text)].flatMap((one) => [
            ...ownWords(one, language),
            ...englishIn(one.replace(/```[\s\S]*?```/g, ''), language),
          ]),
        );
    expect(english).toEqual([]);
    const { rows } = await demo.stack.pool.query(`select language from users where user_key = '1002'`);
    expect(rows).toEqual([{ language }]);
  }, 400_000);
});

describe('a person whose client has another language', () => {
  it('is answered in the language of the client from the first message on, or in English when it is unsupported', async () => {
    const { pool, simulatorUrl } = demo.stack;
    for (const [id, language, hello] of [
      [2001, 'zh-hans', '你好'],
      [2002, 'fi', 'Hello'],
    ] as const) {
      await fetch(`${simulatorUrl}/api/people`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, name: `P${id}`, language }),
      });
      const person = await openPerson({ pool, simulatorUrl, id, role: 'developer' });
      expect((await person.ask('hello')).join()).toContain(hello);
    }
  });
});
