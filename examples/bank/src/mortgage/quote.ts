import { monthlyPayment, schedule, sumOf, type Loan } from './payment.ts';

/** What a product costs: percent a year as decimal text. */
export interface Terms {
  readonly fixYears: number;
  readonly rate: string;
  readonly followOnRate: string;
}

/** What a person pays for a loan with a product. */
export interface Quote {
  /** A month, while the rate is fixed. */
  readonly monthly: string;
  /** All that is paid in that time. */
  readonly paidInFix: string;
  /** What is owed when it ends. */
  readonly balanceAfterFix: string;
  /** A month for the rest of the term, at the rate that follows; null when nothing is owed by then. */
  readonly monthlyAfter: string | null;
}

/** The payments for a loan over these years: fixed at first, then at the rate that follows, calculated anew for what is left. */
export function quote(terms: Terms, loan: { readonly principal: string; readonly years: number }): Quote {
  const whole: Loan = { principal: loan.principal, ratePercent: terms.rate, months: loan.years * 12 };
  const fixed = schedule(whole).slice(0, terms.fixYears * 12);
  const balanceAfterFix = fixed.at(-1)?.balance ?? loan.principal;
  const left = whole.months - fixed.length;
  const isPaid = left === 0 || Number(balanceAfterFix) === 0;
  return {
    monthly: monthlyPayment(whole),
    paidInFix: sumOf(fixed.map(({ payment }) => payment)),
    balanceAfterFix,
    monthlyAfter: isPaid
      ? null
      : monthlyPayment({ principal: balanceAfterFix, ratePercent: terms.followOnRate, months: left }),
  };
}
