import { sayError } from '@signalbox/contracts/errors';
import { Role, roleCovers } from '@signalbox/contracts/governance/roles';
import { answerQuestion } from '@signalbox/gateway/commands/answer';
import type { Answer } from '@signalbox/gateway/commands/question';
import { COMMANDS } from '@signalbox/gateway/commands/registry';
import { createSecretSealer } from '@signalbox/safety/secrets/cipher';
import { parseSealingKey } from '@signalbox/safety/secrets/key';
import { withTransaction } from '@signalbox/store/pool';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_SEALING_KEY } from '../../support/secrets-key.ts';
import { openHarness, PEOPLE, type Harness } from './harness.ts';

// What each command of the chat promises. A file that is added to the folder is tested here.

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

async function answer(name: string, rest: string, role: Role): Promise<Answer> {
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
    name: 'Ada',
    text: `/${name}`,
    messageId: '9',
    button: null,
  } as const;
  const channel = {
    name: 'telegram',
    inviteLink: () => null,
    privateChat: (userKey: string) => `telegram:${userKey}`,
  };
  const cipher = createSecretSealer(parseSealingKey(TEST_SEALING_KEY));
  const policy = (): never => {
    throw new Error('a command decides nothing by policy');
  };
  return withTransaction(harness.pool, (db) =>
    answerQuestion(
      { db, channel, cipher, policy },
      { kind: 'command', name, rest },
      { inboxId: 1, role, envelope, secret: null },
    ),
  );
}

const answered = COMMANDS.filter((command) => command.answer !== null);

describe.each(answered.map((command) => [command.name, command] as const))('/%s', (name, { who }) => {
  it('says something when nothing stands behind it', async () => {
    const { text } = await answer(name, '', who);
    expect(text?.trim()).toBeTruthy();
  });

  it('says something to arguments that mean nothing', async () => {
    const { text } = await answer(name, 'no such ` *thing* _here_ 7', who);
    expect(text?.trim()).toBeTruthy();
  });

  it('is refused to every lower role, with the role that it takes', async () => {
    for (const role of Role.options.filter((one) => !roleCovers(one, who)))
      expect(await answer(name, '', role)).toEqual({
        text: sayError('NOT_PERMITTED', { role, needed: who }),
        personal: true,
      });
  });
});
