import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getLoanToValue, getMonthlyPayment, buildSchedule, sumOf, type Loan } from './payment.ts';
import { quoteLoan } from './views.ts';

/** Payment tables and calculators that others published; each entry names its source and license. */
const Published = z.array(
  z.object({
    source: z.object({ repository: z.string(), license: z.string(), file: z.string() }),
    loan: z.object({ principal: z.string(), ratePercent: z.string(), months: z.int() }),
    payment: z.string(),
    /** For each month: payment, interest, repaid amount and balance. */
    rows: z.array(z.tuple([z.string(), z.string(), z.string(), z.string()])).optional(),
    lastPayment: z.string().optional(),
    totalInterest: z.string().optional(),
  }),
);
const published = Published.parse(
  JSON.parse(readFileSync(new URL('published.fixture.json', import.meta.url), 'utf8')),
).map((one) => [`${one.loan.principal} at ${one.loan.ratePercent}% (${one.source.repository})`, one] as const);

/** Computes the same payment in another way, in cents and whole numbers: `P·r·qⁿ / (qⁿ − 1)` as one fraction, rounded half up. */
function paymentInCents({ principal, ratePercent, months }: Loan): bigint {
  const [rate, base] = [scaled(ratePercent), 1_200n * SCALE];
  const cents = scaled(principal) * 100n;
  if (rate === 0n) return halfUp(cents, SCALE * BigInt(months));
  const [grown, whole] = [(base + rate) ** BigInt(months), base ** BigInt(months)];
  return halfUp(cents * rate * grown, SCALE * base * (grown - whole));
}

const SCALE = 1_000_000n;

function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * SCALE + BigInt(fraction.padEnd(6, '0'));
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

const cents = (amount: string): bigint => scaled(amount) / 10_000n;

const principal = fc.integer({ min: 100_000, max: 10_000_000_000 }).map((value) => (value / 100).toFixed(2));
const ratePercent = fc.integer({ min: 0, max: 25_000 }).map((value) => (value / 1_000).toFixed(3));
const months = fc.integer({ min: 1, max: 480 });
const loans = fc.record({ principal, ratePercent, months });
const RUNS = { numRuns: 300 };

describe('monthly payments', () => {
  it('are compared with at least 40 values that at least three other repositories published', () => {
    const values = published.reduce((count, [, { rows = [] }]) => count + 1 + rows.length * 4, 0);
    expect(values).toBeGreaterThanOrEqual(40);
    expect(new Set(published.map(([, { source }]) => source.repository)).size).toBeGreaterThanOrEqual(3);
  });

  it.each(published)(
    'agree to the cent with the published payments of %s',
    (_, { loan, payment, rows, lastPayment, totalInterest }) => {
      const table = buildSchedule(loan);
      expect({
        payment: getMonthlyPayment(loan),
        rows: rows && table.map((row) => [row.payment, row.interest, row.repaid, row.balance]),
        lastPayment: lastPayment && table.at(-1)?.payment,
        totalInterest: totalInterest && sumOf(table.map(({ interest }) => interest)),
      }).toEqual({ payment, rows, lastPayment, totalInterest });
    },
  );

  it('agree to the cent with an exact computation in whole numbers, for any loan', () => {
    fc.assert(
      fc.property(loans, (loan) => {
        expect(cents(getMonthlyPayment(loan))).toBe(paymentInCents(loan));
      }),
      RUNS,
    );
  });

  it('are rounded half up, not half to even', () => {
    expect(getMonthlyPayment({ principal: '1000.01', ratePercent: '0', months: 2 })).toBe('500.01');
    expect(getMonthlyPayment({ principal: '1000.03', ratePercent: '0', months: 2 })).toBe('500.02');
  });

  it('grow with the rate and with the loan, and shrink with the term', () => {
    fc.assert(
      fc.property(loans, fc.integer({ min: 1, max: 5_000 }), (loan, more) => {
        const payment = cents(getMonthlyPayment(loan));
        const dearer = { ...loan, ratePercent: (Number(loan.ratePercent) + more / 1_000).toFixed(3) };
        const larger = { ...loan, principal: (Number(loan.principal) + more).toFixed(2) };
        expect(cents(getMonthlyPayment(dearer))).toBeGreaterThanOrEqual(payment);
        expect(cents(getMonthlyPayment(larger))).toBeGreaterThanOrEqual(payment);
        expect(cents(getMonthlyPayment({ ...loan, months: loan.months + 1 }))).toBeLessThanOrEqual(payment);
      }),
      RUNS,
    );
  });

  it('are at least the first month’s interest, and at most the whole loan plus that interest', () => {
    fc.assert(
      fc.property(loans, (loan) => {
        const owed = scaled(loan.principal) * 100n;
        const firstInterest = halfUp(owed * scaled(loan.ratePercent), 1_200n * SCALE * SCALE);
        const payment = cents(getMonthlyPayment(loan));
        expect(payment).toBeGreaterThanOrEqual(firstInterest);
        expect(payment).toBeGreaterThanOrEqual(owed / SCALE / BigInt(loan.months));
        expect(payment).toBeLessThanOrEqual(owed / SCALE + firstInterest + 1n);
      }),
      RUNS,
    );
  });

  it('cannot be computed for a loan whose term is not a positive whole number of months', () => {
    for (const given of [0, -1, 1.5, NaN])
      expect(() => getMonthlyPayment({ principal: '1000', ratePercent: '5', months: given })).toThrow('whole months');
  });
});

describe('a schedule', () => {
  it('repays the loan to the cent, and each of its rows adds up', () => {
    fc.assert(
      fc.property(loans, (loan) => {
        const rows = buildSchedule(loan);
        expect(sumOf(rows.map(({ repaid }) => repaid))).toBe(sumOf([loan.principal]));
        expect(rows.at(-1)?.balance).toBe('0.00');
        expect(rows.length).toBeLessThanOrEqual(loan.months);
        let owed = cents(loan.principal);
        for (const row of rows) {
          expect(cents(row.interest) + cents(row.repaid)).toBe(cents(row.payment));
          owed -= cents(row.repaid);
          expect(cents(row.balance)).toBe(owed);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('asks for the same payment each month but the last', () => {
    fc.assert(
      fc.property(loans, (loan) => {
        const payments = buildSchedule(loan)
          .slice(0, -1)
          .map(({ payment }) => payment);
        expect(new Set(payments).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a quote', () => {
  it('leaves no balance when the fixed rate lasts for the whole term', () => {
    const terms = { fixYears: 5, rate: '4.12', followOnRate: '7.49' };
    expect(quoteLoan(terms, { principal: '10000.00', years: 5 })).toMatchObject({
      balanceAfterFix: '0.00',
      monthlyAfter: null,
    });
  });

  it('computes the payment after the fixed period from the remaining balance and the follow-on rate', () => {
    const terms = { fixYears: 2, rate: '4.19', followOnRate: '7.49' };
    const found = quoteLoan(terms, { principal: '200000.00', years: 25 });
    const after = { principal: found.balanceAfterFix, ratePercent: '7.49', months: 276 };
    expect(found.monthlyAfter).toBe(getMonthlyPayment(after));
    expect(Number(found.monthlyAfter)).toBeGreaterThan(Number(found.monthly));
  });

  it('keeps the monthly payment within two cents when the follow-on rate equals the fixed rate', () => {
    fc.assert(
      fc.property(principal, ratePercent, fc.integer({ min: 1, max: 5 }), (loan, rate, fixYears) => {
        const found = quoteLoan({ fixYears, rate, followOnRate: rate }, { principal: loan, years: fixYears + 20 });
        const difference = cents(found.monthlyAfter ?? '0') - cents(found.monthly);
        expect(difference >= -2n && difference <= 2n).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('loan to value', () => {
  it.each([
    ['210000.00', '300000.00', '70'],
    ['100000.00', '300000.00', '33.33'],
    ['200000.00', '300000.00', '66.67'],
    ['300000.00', '100000.00', '300'],
  ])('of a loan of %s on a property worth %s is %s%%', (loan, value, percent) => {
    expect(getLoanToValue(loan, value)).toBe(percent);
  });
});
