import { runInLanguage } from '@signalbox/messages/language';
import fc from 'fast-check';
import { loadPlugins } from '@signalbox/plugins/load-plugins';
import { describe, expect, it } from 'vitest';
import { parseRequestedData } from '@signalbox/worker/guided/actions';
import { actions } from './actions.ts';
import { findNumbers } from './amounts.ts';
import { createInitialDomain, type MortgageDomain } from './domain.ts';
import { parseRequest } from './reading.ts';

await loadPlugins('examples/bank'); // Loads the bank's sentences

const at = (asked: MortgageDomain['asked']): MortgageDomain => ({ ...createInitialDomain(), asked });

describe('the numbers in a text', () => {
  it.each([
    ['300000', '300000.00'],
    ['300,000', '300000.00'],
    ['300.000', '300000.00'],
    ['300 000', '300000.00'],
    ['300’000', '300000.00'],
    ['1,250,000.50', '1250000.50'],
    ['1.250.000,5', '1250000.50'],
    ['1250,75', '1250.75'],
    ['£300k', '300000.00'],
    ['0.3m', '300000.00'],
    ['1,5 mio', '1500000.00'],
    ['210 тыс', '210000.00'],
    ['30万', '300000.00'],
  ])('“%s” is read as the amount %s', (text, value) => {
    expect(findNumbers(text, ['year'])).toMatchObject([{ kind: 'amount', value }]);
  });

  it('are years before a word for years, and amounts otherwise', () => {
    expect(findNumbers('5 years, 5-year, 5 yards', ['year'])).toMatchObject([
      { kind: 'years', value: '5' },
      { kind: 'years', value: '5' },
      { kind: 'amount', value: '5.00' },
    ]);
  });

  it('are found in any text without an error, at the positions that are returned', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (text) => {
        for (const { value, at: start, end } of findNumbers(text, ['year'])) {
          expect(value).toMatch(/^\d+(\.\d{2})?$/);
          expect(text.slice(start, end)).toMatch(/\d/);
        }
      }),
    );
  });
});

describe('a message that is parsed without a model', () => {
  it.each([
    ['my house is worth 300k and I owe 210k', { propertyValue: '300000.00', loanBalance: '210000.00' }],
    ['I want to borrow 150,000 on a flat of 200,000', { loanBalance: '150000.00', propertyValue: '200000.00' }],
    ['fix it for 5 years over 30 years', { fixYears: 5, termYears: 30 }],
    ['a 5 year fix, a 25 year term', { fixYears: 5, termYears: 25 }],
    ['a term of 20 years', { termYears: 20 }],
    ['I would like 25 years', { termYears: 25 }],
    ['250k house, 90 percent', { propertyValue: '250000.00', loanBalance: '225000.00' }],
    ['a house of 250,000 with a 10% deposit', { propertyValue: '250000.00', loanBalance: '225000.00' }],
    ['the flat is 200k, we put down 50k', { propertyValue: '200000.00', loanBalance: '150000.00' }],
  ])('“%s” sets the amounts or years that are in it', (text, data) => {
    expect(parseRequest(text, at(null))).toEqual({ action: 'set_intent', data });
  });

  it.each([
    ['propertyValue', '300,000', { propertyValue: '300000.00' }],
    ['loanBalance', '£ 210k', { loanBalance: '210000.00' }],
    ['fixYears', '5', { fixYears: 5 }],
    ['fixYears', '5 years', { fixYears: 5 }],
    ['fixYears', '25 years', { termYears: 25 }],
    ['propertyValue', '25 years', { termYears: 25 }],
  ] as const)('a bare answer to the question for %s is accepted: %s', (asked, text, data) => {
    expect(parseRequest(text, at(asked))).toEqual({ action: 'set_intent', data, isWhole: true });
  });

  it.each([
    ['a bare number that nobody asked for', '300000', null],
    ['two amounts for one thing', 'a house of 300,000 or a house of 400,000', null],
    ['an amount without a word for it', 'I have 300,000 and a cat', null],
    ['years where an amount was asked for', '5 years', 'propertyValue'],
    ['half a year', '2.5', 'fixYears'],
    ['a share of a value that is not known', '90 percent', null],
    ['an interest rate', 'a house of 250k at 4.5 percent', null],
    ['a deposit above the value', 'a house of 250k with a deposit of 300k', null],
    ['a loan that is named twice', 'a 250k house, a 200k loan and a 10% deposit', null],
    ['a long story', 'house 300000 '.repeat(40), null],
  ] as const)('requests no action when it contains %s', (_, text, asked) => {
    expect(parseRequest(text, at(asked))).toBeNull();
  });

  it.each([
    ['I am not an existing customer', 'existing_customer', { answer: false }],
    ['I am an existing customer', 'existing_customer', { answer: true }],
    ['we found a house', 'property_seen', { answer: true }],
    ['still looking', 'property_seen', { answer: false }],
    ['which documents do I need?', 'ask_process', { topic: 'documents' }],
    ['I would like to talk to a person', 'get_support', {}],
    ['can I make an appointment', 'request_branch', {}],
    ['let us start over', 'reset', {}],
  ])('“%s” requests the action %s', (text, action, data) => {
    expect(parseRequest(text, at(null))).toEqual({ action, data });
  });

  it('is taken as the address that the agent asked for, unless it requests something else', () => {
    expect(parseRequest('14 Semaphore Road QX1 2BD', at('address'))).toEqual({
      action: 'check_address',
      data: { address: '14 Semaphore Road QX1 2BD' },
    });
    expect(parseRequest('talk to a person', at('address'))).toMatchObject({ action: 'get_support' });
  });

  it('that names a share alone is about the value that was said before', () => {
    const domain = createInitialDomain();
    const known = { ...domain, intent: { ...domain.intent, propertyValue: '250000.00' } };
    expect(parseRequest('90%', known)).toEqual({
      action: 'set_intent',
      data: { loanBalance: '225000.00' },
      isWhole: true,
    });
  });

  it.each([
    ['10 Downing Street, SW1A 2AA', '10 Downing Street, SW1A 2AA'],
    ['It is flat 3, 221b Baker Street London nw1 6xe, a 250k house', '221b Baker Street London nw1 6xe'],
  ])('with a house number and a postcode is an address that nobody had to ask for: %s', (text, address) => {
    expect(parseRequest(text, at('propertyValue'))).toEqual({ action: 'check_address', data: { address } });
  });

  it.each([
    ['en', 'what happens if I pay it back early?'],
    ['en', 'can we pay the whole thing off early'],
    ['de', 'Was passiert, wenn ich ihn früher zurückzahle?'],
    ['es', '¿qué pasa si lo pago antes?'],
    ['ru', 'что если я погашу кредит раньше?'],
    ['zh', '如果我早点还清会怎样？'],
  ])('in %s asks about early repayment: %s', (language, text) => {
    expect(runInLanguage(language, () => parseRequest(text, at(null)))).toEqual({
      action: 'ask_process',
      data: { topic: 'early_repayment' },
    });
  });

  it.each([
    ['de', 'Haus für 250.000, 90 Prozent'],
    ['es', 'casa de 250.000, 90 por ciento'],
    ['ru', 'дом 250 тыс, 90 процентов'],
    ['zh', '房子25万，90%'],
  ])('in %s names a value and a share of it: %s', (language, text) => {
    expect(runInLanguage(language, () => parseRequest(text, at(null)))?.data).toEqual({
      propertyValue: '250000.00',
      loanBalance: '225000.00',
    });
  });

  it.each([
    ['de', 'ich bin kein kunde', { answer: false }],
    ['de', 'ich bin kunde', { answer: true }],
    ['es', 'no soy cliente', { answer: false }],
    ['ru', 'я не клиент', { answer: false }],
    ['zh', '我不是客户', { answer: false }],
    ['zh', '我是客户', { answer: true }],
  ])('in %s, “%s” is not mistaken for its opposite', (language, text, data) => {
    expect(runInLanguage(language, () => parseRequest(text, at(null)))).toEqual({ action: 'existing_customer', data });
  });

  it('requests only actions that the agent declares, whatever its text is', () => {
    const asked = fc.constantFrom('propertyValue', 'loanBalance', 'fixYears', 'address', null);
    const word = fc.constantFrom(
      'house',
      'loan',
      'fix',
      'term',
      'years',
      'branch',
      'reset',
      '300k',
      '5',
      '1e9',
      '-7',
      '£',
      '{}',
      'mortgage.',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 8 }), asked, (words, about) => {
        const requested = parseRequest(words.join(' '), { ...createInitialDomain(), asked: about });
        expect([null, ...Object.keys(actions)]).toContain(requested?.action ?? null);
      }),
      { numRuns: 500 },
    );
  });

  it('has implausible figures refused, and a fractional amount kept exactly', () => {
    expect(parseRequestedData(actions, { action: 'set_intent', data: { propertyValue: '5.00' } }).ok).toBe(false);
    expect(parseRequestedData(actions, { action: 'set_intent', data: { fixYears: 99 } }).ok).toBe(false);
    expect(parseRequestedData(actions, { action: 'set_intent', data: { propertyValue: 250_000.5 } })).toEqual({
      ok: true,
      data: { propertyValue: '250000.50' },
    });
  });
});
