import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretSealer } from './cipher.ts';
import { deriveSealingKey } from './key-pair.ts';
import { computeCode, hideCodes, computeAnswerMac, couldHoldCode } from './step-up-code.ts';

const sealer = createSecretSealer(deriveSealingKey(randomBytes(32)));
const open = { challengeId: 'chl_open', isOpen: true };
const over = { challengeId: 'chl_over', isOpen: false };
const code = computeCode(sealer, open.challengeId);
const handleOf = (challengeId: string, typed: string): string =>
  `secret:step-up-code-${computeAnswerMac(sealer, challengeId, typed)}`;
const other = code === '111111' ? '222222' : '111111';

describe('a step-up code', () => {
  it('has six digits, and is the same each time for the same key and challenge', () => {
    expect(code).toMatch(/^\d{6}$/);
    expect(computeCode(sealer, open.challengeId)).toBe(code);
    const others = Array.from({ length: 5 }, () =>
      computeCode(createSecretSealer(deriveSealingKey(randomBytes(32))), open.challengeId),
    );
    expect(new Set([code, ...others]).size).toBeGreaterThan(1);
  });

  it('begins with each digit equally often', () => {
    const firsts = Array.from({ length: 2_000 }, (_, index) => computeCode(sealer, `chl_${index}`)[0]);
    for (const digit of '0123456789') expect(firsts.filter((first) => first === digit).length).toBeGreaterThan(120);
  });

  it('of another value or for another challenge has another MAC', () => {
    expect(computeAnswerMac(sealer, open.challengeId, code)).not.toBe(
      computeAnswerMac(sealer, open.challengeId, other),
    );
    expect(computeAnswerMac(sealer, open.challengeId, code)).not.toBe(computeAnswerMac(sealer, over.challengeId, code));
  });
});

describe('a step-up code in a message', () => {
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
  const wide = [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
  const arabic = [...code].map((digit) => String.fromCodePoint(0x0660 + Number(digit))).join('');
  const bold = [...code].map((digit) => String.fromCodePoint(0x1d7ce + Number(digit))).join('');

  it.each([
    ['by itself', code],
    ['in two halves', spaced],
    ['with hyphens', [...code].join('-')],
    ['in full width', wide],
    ['in Arabic digits', arabic],
    ['in bold digits', bold],
    ['with what is not seen between', [...code].join('\u200b')],
  ])('is replaced by its handle when it is written %s', (_, typed) => {
    expect(hideCodes(sealer, `it is ${typed}, I think`, [open])).toBe(
      `it is ${handleOf(open.challengeId, code)}, I think`,
    );
  });

  it('is replaced even if it is wrong while the challenge is open', () => {
    expect(hideCodes(sealer, other, [open])).toBe(handleOf(open.challengeId, other));
  });

  it('is replaced after the challenge only if it is right', () => {
    const late = computeCode(sealer, over.challengeId);
    expect(hideCodes(sealer, late, [over])).toBe(handleOf(over.challengeId, late));
    const price = late === '250000' ? '350000' : '250000';
    expect(hideCodes(sealer, `a loan of ${price}`, [over])).toBe(`a loan of ${price}`);
  });

  it('is replaced in each of several guesses', () => {
    const [first, second] = code.startsWith('3') ? ['444444', '555555'] : ['333333', '334444'];
    expect(hideCodes(sealer, `${first}, ${second}`, [open])).toBe(
      `${handleOf(open.challengeId, first)}, ${handleOf(open.challengeId, second)}`,
    );
  });

  it('is replaced within a longer number, but then does not count as right', () => {
    const hidden = hideCodes(sealer, `9${code}`, [open]);
    expect(hidden).toMatch(/^secret:step-up-code-[0-9a-z]{8}$/);
    expect(hidden).not.toBe(handleOf(open.challengeId, code));
  });

  it('is left in the text when there is no challenge, and a secret handle is always left', () => {
    expect(hideCodes(sealer, 'secret:card-number-12345678', [open])).toBe('secret:card-number-12345678');
    expect(hideCodes(sealer, code, [])).toBe(code);
    expect(couldHoldCode('12345')).toBe(false);
  });
});
