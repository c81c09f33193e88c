import { Decimal } from 'decimal.js';

/*
 * Computes payments of a loan in exact decimal arithmetic. Amounts and rates are decimal text, because binary fractions hold neither
 * 0.1 nor 4.19, and payments are due to the cent. Two values are rounded to cents, half up: the monthly payment, and the interest of
 * each month in a schedule.
 */

/** Decimal places of intermediate results: 600 multiplications err in the 60th place, and amounts have at most 12 digits. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

/** A loan with equal monthly payments. */
export interface Loan {
  readonly principal: string;
  /** Interest rate in percent per year; each month costs a twelfth. */
  readonly ratePercent: string;
  readonly months: number;
}

/** One month of a payment schedule; all amounts add up to the cent. */
export interface ScheduleRow {
  readonly month: number;
  readonly payment: string;
  readonly interest: string;
  readonly repaid: string;
  readonly balance: string;
}

/** Returns the monthly payment: `P·r / (1 − (1 + r)^−n)`, or `P / n` without interest. Throws for a term under one month. */
export function getMonthlyPayment({ principal, ratePercent, months }: Loan): string {
  if (!Number.isInteger(months) || months < 1) throw new RangeError(`a loan runs for whole months, not for ${months}`);
  const rate = monthlyRate(ratePercent);
  const owed = new Exact(principal);
  if (rate.isZero()) return toCents(owed.div(months));
  const discount = new Exact(1).minus(rate.plus(1).pow(-months));
  return toCents(owed.mul(rate).div(discount));
}

/** Lists payment, interest and balance of each month. The last payment settles the rounding differences. */
export function buildSchedule(loan: Loan): readonly ScheduleRow[] {
  const payment = new Exact(getMonthlyPayment(loan));
  const rate = monthlyRate(loan.ratePercent);
  const rows: ScheduleRow[] = [];
  let owed = new Exact(loan.principal);
  for (let month = 1; month <= loan.months && owed.gt(0); month += 1) {
    const interest = owed.mul(rate).toDecimalPlaces(2);
    const isLast = month === loan.months || payment.minus(interest).gte(owed);
    const repaid = isLast ? owed : payment.minus(interest);
    owed = owed.minus(repaid);
    rows.push({
      month,
      payment: repaid.plus(interest).toFixed(2),
      interest: interest.toFixed(2),
      repaid: repaid.toFixed(2),
      balance: owed.toFixed(2),
    });
  }
  return rows;
}

/** Returns the loan in percent of the property value, rounded half up to two places for display. Product limits use the exact ratio. */
export function getLoanToValue(loan: string, value: string): string {
  return new Exact(loan).mul(100).div(value).toDecimalPlaces(2).toFixed();
}

/** Returns a share of an amount, rounded half up to the cent. */
export function getShare(amount: string, percent: string): string {
  return toCents(new Exact(amount).mul(percent).div(100));
}

/** Subtracts an amount exactly; null when nothing would be left. */
export function getRest(amount: string, taken: string): string | null {
  const rest = new Exact(amount).minus(taken);
  return rest.gt(0) ? toCents(rest) : null;
}

/** Adds amounts exactly, to the cent. */
export function sumOf(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Exact(0)).toFixed(2);
}

/** Formats an amount with cents: `250000` becomes `250000.00`. */
export function toAmount(text: string): string {
  return toCents(new Exact(text));
}

function monthlyRate(percent: string): Decimal {
  return new Exact(percent).div(1_200);
}

function toCents(amount: Decimal): string {
  return amount.toDecimalPlaces(2).toFixed(2);
}
