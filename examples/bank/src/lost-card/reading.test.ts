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

  it('names a card by its last digits rather than by a year', () => {
    const known = { ...createInitialDomain(), cards: ['4417', '7717'] };
    expect(parseRequest('I lost my card 4417', known)?.data).toEqual({ because: 'lost', card: '4417' });
    expect(parseRequest('I lost my card in 2024', known)?.data).toEqual({ because: 'lost' });
    expect(parseRequest('I lost my cards 4417 and 7717', known)?.data).toEqual({ because: 'lost' });
  });

  it('keeps a card that is not known, so that the person is told, but no year and no amount of money', () => {
    const known = { ...createInitialDomain(), cards: ['4417'] };
    const cardOf = (text: string): unknown => parseRequest(text, known)?.data;
    expect(cardOf('I lost my card 9999')).toEqual({ because: 'lost', card: '9999' });
    for (const amount of ['€5000', '5000 €', '5000 EUR', '5000.00', '15,000'])
      expect(cardOf(`I lost my card and ${amount}`)).toEqual({ because: 'lost' });
  });

  it('picks payments by their numbers while the agent asks which ones', () => {
    const listed = ['a', 'b', 'c'].map((transactionId) => ({
      transactionId,
      merchant: 'Shop',
      at: '2026-01-01T00:00:00Z',
      amount: null,
      isSuspicious: false,
    }));
    const asked = { ...createInitialDomain(), awaiting: 'payments' as const, listed_tx: listed };
    expect(parseRequest('1 and 3', asked)).toEqual({ action: 'report_fraud', data: { numbers: [1, 3] } });
    expect(parseRequest('number 4', asked)).toBeNull();
    expect(parseRequest('1 and 3', createInitialDomain())).toBeNull();
  });

  it('that contains the placeholder of a code is an answer to the question for the code', () => {
    expect(parseRequest('it is secret:step-up-code-0a1b2c3d', createInitialDomain())).toEqual({
      action: 'verify_identity',
      data: { code: 'secret:step-up-code-0a1b2c3d' },
      isWhole: true,
    });
  });
});
