import { sayError } from '@signalbox/messages/say';
import { Role, coversRole } from '@signalbox/contracts/governance/roles';
import { answerQuestion } from '@signalbox/gateway/commands/answer';
import type { GatewayAnswer } from '@signalbox/gateway/commands/question';
import { COMMANDS } from '@signalbox/gateway/commands/registry';
import { createSecretSealer } from '@signalbox/safety/secrets/cipher';
import { parseSealingKey } from '@signalbox/safety/secrets/key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SEALING_KEY } from '../../support/secrets-key.ts';
import { openHarness, PEOPLE, type Harness } from './harness.ts';

// What each command of the chat promises. A file that is added to the folder is tested here.

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
  const values = ['1007', HOSTILE];
  await harness.rows(`insert into users (user_key, channel, name, role) values ($1, 'telegram', $2, 'viewer')`, values);
  await harness.rows('insert into lanes (user_key) values ($1)', ['1007']);
});
afterAll(() => harness.close());

async function answer(name: string, rest: string, role: Role): Promise<GatewayAnswer> {
  const envelope = {
    kind: 'message',
    id: `telegram:100:${name}`,
    channel: 'telegram',
    bot: '100',
    updateId: name,
    userKey: PEOPLE.admin,
    chatKey: `telegram:${PEOPLE.admin}`,
    chatKind: 'private',
    traceId: 'trc_test',
    at: '2026-01-02T03:04:05.000Z',
    name: HOSTILE,
    text: `/${name}`,
    messageId: '9',
    button: null,
  } as const;
  const channel = {
    name: 'telegram',
    link: () => null,
  };
  const cipher = createSecretSealer(parseSealingKey(TEST_SEALING_KEY));
  const policy = (): never => {
    throw new Error('a command decides nothing by policy');
  };
  const db = await harness.pool.connect();
  try {
    await db.query('begin');
    const asked = { inboxId: 1, role, envelope, secret: null };
    return await answerQuestion({ db, channel, cipher, policy }, { kind: 'command', name, rest }, asked);
  } finally {
    // Each answer is the first one.
    await db.query('rollback');
    db.release();
  }
}

/** A name as a person may choose it. What the bot says must show it and never read it as a format. */
const HOSTILE = '[x](https://evil.example) **A** {name}';

const answered = COMMANDS.filter((command) => command.answer !== null);

describe.each(answered.map((command) => [command.name, command] as const))('/%s', (name, { who }) => {
  it('answers when it is sent without arguments', async () => {
    const { text } = await answer(name, '', who);
    expect(text?.trim()).toBeTruthy();
  });

  it('answers when its arguments are invalid', async () => {
    const { text } = await answer(name, 'no such ` *thing* _here_ 7', who);
    expect(text?.trim()).toBeTruthy();
  });

  it.each(['', '1007', '1007 viewer', `${HOSTILE} viewer`, 'list 1007'])(
    'shows a hostile name as text: %j',
    async (typed) => {
      const { text, notices = [] } = await answer(name, typed, who);
      const said = [text ?? '', ...notices.map((notice) => notice.text)].join('\n').replaceAll(/`[^`]*`/g, '');
      expect(said).not.toMatch(/(?<!\\)\*\*A|(?<!\\)\[x\]/);
    },
  );

  it('is refused to every lower role with the name of the required role', async () => {
    for (const role of Role.options.filter((one) => !coversRole(one, who)))
      expect(await answer(name, '', role)).toEqual({
        text: sayError('NOT_PERMITTED', { role, needed: who }),
        personal: true,
      });
  });
});
