import { runInLanguage } from '@signalbox/messages/language';
import { loadPlugins } from '@signalbox/plugins/load-plugins';
import { describe, expect, it } from 'vitest';
import { createInitialDomain } from './domain.ts';
import { parseRequest } from './reading.ts';

await loadPlugins('examples/bank'); // Loads the bank's sentences

const SAID: readonly (readonly [string, string, string])[] = [
  ['en', "I've lost my card", 'freeze_card lost'],
  ['en', 'Someone stole my card!', 'freeze_card stolen'],
  ['en', 'I see transactions I don’t recognise', 'report_fraud'],
  ['en', 'show me my transactions', 'view_transactions'],
  ['en', 'I found my card', 'reset'],
  ['en', 'please send me a new card', 'order_replacement'],
  ['en', 'where is your next branch?', 'find_branch'],
  ['en', 'freeze it', 'freeze_card'],
  ['en', 'and where does the new card go?', 'ask_about address'],
  ['en', 'is that fine?', 'ask_about state'],
  ['de', 'Ist das in Ordnung?', 'ask_about state'],
  ['es', '¿está bien así?', 'ask_about state'],
  ['ru', 'Это нормально?', 'ask_about state'],
  ['zh', '这样可以吗？', 'ask_about state'],
  ['de', 'Ich habe meine Karte verloren', 'freeze_card lost'],
  ['de', 'Meine Karte wurde gestohlen', 'freeze_card stolen'],
  ['de', 'Da ist eine Zahlung, die ich nicht erkenne', 'report_fraud'],
  ['de', 'Ich habe die Karte gefunden', 'reset'],
  ['de', 'Bitte sperren', 'freeze_card'],
  ['es', 'He perdido mi tarjeta', 'freeze_card lost'],
  ['es', 'Me han robado la tarjeta', 'freeze_card stolen'],
  ['es', 'Hay pagos que no reconozco', 'report_fraud'],
  ['es', 'He encontrado mi tarjeta', 'reset'],
  ['ru', 'Я потерял карту', 'freeze_card lost'],
  ['ru', 'У меня украли карту', 'freeze_card stolen'],
  ['ru', 'Это не мои платежи', 'report_fraud'],
  ['ru', 'Я нашёл свою карту', 'reset'],
  ['zh', '我的卡丢了', 'freeze_card lost'],
  ['zh', '我的卡被偷了', 'freeze_card stolen'],
  ['zh', '有几笔交易不是我做的', 'report_fraud'],
  ['zh', '卡找到了', 'reset'],
];

describe('a message to the lost-card agent', () => {
  it.each(SAID)('in %s: “%s” means %s', (language, text, meant) => {
    const requested = runInLanguage(language, () => parseRequest(text, createInitialDomain()));
    const { because, topic } = (requested?.data ?? {}) as { readonly because?: string; readonly topic?: string }; // The type of the data that reading.ts returns
    expect(`${requested?.action} ${because ?? topic ?? ''}`.trim()).toBe(meant);
  });

  it.each(['hello', 'what can you do?', 'my card', 'I have a question', '42'])(
    'with the text “%s” requests no action',
    (text) => {
      expect(parseRequest(text, createInitialDomain())).toBeNull();
    },
  );

  it('names a card by its last digits only when the card is known', () => {
    const known = { ...createInitialDomain(), cards: ['4417', '7717'] };
    expect(parseRequest('I lost my card 4417', known)?.data).toEqual({ because: 'lost', card: '4417' });
    expect(parseRequest('I lost my card in 2024', known)?.data).toEqual({ because: 'lost' });
    expect(parseRequest('I lost my cards 4417 and 7717', known)?.data).toEqual({ because: 'lost' });
  });

  it('that contains the placeholder of a code is an answer to the question for the code', () => {
    expect(parseRequest('it is secret:step-up-code-0a1b2c3d', createInitialDomain())).toEqual({
      action: 'verify_identity',
      data: { code: 'secret:step-up-code-0a1b2c3d' },
      isWhole: true,
    });
  });
});
