import type { OfferedButton } from '@signalbox/contracts/conversation/envelope';
import { say } from '@signalbox/messages/say';
import { createActionButton, type GuidedReply, type ReaderProfile } from '@signalbox/worker/guided/spec';
import { getCurrentLanguage } from '@signalbox/messages/language';
import type { actions } from './actions.ts';
import {
  findChosenProduct,
  listMissingInputs,
  TOPICS,
  type MortgageDomain,
  type Product,
  type Topic,
} from './domain.ts';
import { getMonthlyPayment, buildSchedule, sumOf, type Loan } from './payment.ts';

/** Interest rates of a product: percent per year as decimal text. */
interface Terms {
  readonly fixYears: number;
  readonly rate: string;
  readonly followOnRate: string;
}

/** Payments of a loan with one product. */
interface Quote {
  /** Monthly payment during the fixed period. */
  readonly monthly: string;
  /** Total payments during the fixed period. */
  readonly paidInFix: string;
  /** Balance at the end of the fixed period. */
  readonly balanceAfterFix: string;
  /** Monthly payment after the fixed period, at the follow-on rate; null when the loan is repaid by then. */
  readonly monthlyAfter: string | null;
}

/** Currency that is shown until a product names one. */
const CURRENCY = 'GBP';
/** Maximum number of buttons for fixed periods; a phone shows only a few. */
const FIXES_OFFERED = 5;

const button = (
  label: string,
  action: keyof typeof actions,
  data: Readonly<Record<string, unknown>> = {},
): OfferedButton => createActionButton('mortgage', label, action, data);

/** Views of the mortgage state. A view depends only on the state, so it can be redrawn at any time. */
export const views = {
  inputs: (domain) => ({ text: lines(knownLines(domain), questionFor(domain)), buttons: inputButtons(domain) }),
  products: (domain, reader) => (domain.products.length === 0 ? noProducts(domain) : someProducts(domain, reader)),
  selection: (domain, reader) => {
    const product = findChosenProduct(domain);
    return product ? selected(domain, product, reader) : someProducts(domain, reader);
  },
  address: (domain) => ({
    text: addressText(domain),
    buttons: domain.address === null ? [branchButton(), supportButton()] : [branchButton(), ...backButtons(domain)],
  }),
  process: (domain) => ({
    text: domain.process_question === null ? say('mortgage.askTopic') : TOPIC_ANSWERS[domain.process_question](),
    buttons: [
      ...TOPICS.filter((topic) => topic !== domain.process_question).map((topic) =>
        button(TOPIC_LABELS[topic](), 'ask_process', { topic }),
      ),
      ...backButtons(domain),
    ],
  }),
  branch: (domain) => ({
    text: domain.branch_requested ? say('mortgage.branchAsked') : say('mortgage.branchNotAsked'),
    buttons: backButtons(domain),
  }),
  support: () => ({ text: say('mortgage.supportShown'), buttons: [branchButton(), resetButton()] }),
} satisfies Record<string, (domain: MortgageDomain, reader: ReaderProfile) => GuidedReply>;

export type ViewName = keyof typeof views;

const TOPIC_LABELS: Readonly<Record<Topic, () => string>> = {
  documents: () => say('mortgage.topicDocuments'),
  timeline: () => say('mortgage.topicTimeline'),
  fees: () => say('mortgage.topicFees'),
  early_repayment: () => say('mortgage.topicEarlyRepayment'),
  valuation: () => say('mortgage.topicValuation'),
  income: () => say('mortgage.topicIncome'),
  binding: () => say('mortgage.topicBinding'),
};

/** Answers of the catalog by topic. */
export const TOPIC_ANSWERS: Readonly<Record<Topic, () => string>> = {
  documents: () => say('mortgage.answerDocuments'),
  timeline: () => say('mortgage.answerTimeline'),
  fees: () => say('mortgage.answerFees'),
  early_repayment: () => say('mortgage.answerEarlyRepayment'),
  valuation: () => say('mortgage.answerValuation'),
  income: () => say('mortgage.answerIncome'),
  binding: () => say('mortgage.answerBinding'),
};

const branchButton = (): OfferedButton => button(say('mortgage.visitBranch'), 'request_branch');
const supportButton = (): OfferedButton => button(say('mortgage.speakToPerson'), 'get_support');
const resetButton = (): OfferedButton => button(say('mortgage.beginAgain'), 'reset');

function knownLines({ intent, ltv }: MortgageDomain): readonly string[] {
  const { propertyValue, loanBalance, fixYears, termYears } = intent;
  const known = [
    ...(propertyValue === null ? [] : [say('mortgage.property', { amount: sayRoundAmount(propertyValue, CURRENCY) })]),
    ...(loanBalance === null ? [] : [say('mortgage.loan', { amount: sayRoundAmount(loanBalance, CURRENCY) })]),
    ...(ltv === null ? [] : [say('mortgage.ltv', { percent: sayPercent(ltv) })]),
    ...(fixYears === null ? [] : [say('mortgage.fix', { years: fixYears })]),
  ];
  return known.length === 0 ? [] : [...known, say('mortgage.term', { years: termYears })];
}

function questionFor({ intent }: MortgageDomain): string {
  const [missing] = listMissingInputs(intent);
  if (missing === 'propertyValue')
    return say('mortgage.askPropertyValue', { example: sayRoundAmount('300000', CURRENCY) });
  return missing === 'loanBalance' ? say('mortgage.askLoanBalance') : say('mortgage.askFixYears');
}

function inputButtons({ intent, fixes }: MortgageDomain): readonly OfferedButton[] {
  const [missing] = listMissingInputs(intent);
  const years = missing === 'fixYears' ? fixes.slice(0, FIXES_OFFERED) : [];
  return [
    ...years.map((fixYears) => button(say('mortgage.years', { years: fixYears }), 'set_intent', { fixYears })),
    button(say('mortgage.howItWorks'), 'ask_process'),
    supportButton(),
  ];
}

function noProducts(domain: MortgageDomain): GuidedReply {
  const { intent, fixes } = domain;
  return {
    text: lines(knownLines(domain), say('mortgage.noProducts')),
    buttons: [
      ...fixes
        .filter((years) => years !== intent.fixYears)
        .slice(0, FIXES_OFFERED)
        .map((fixYears) => button(say('mortgage.fix', { years: fixYears }), 'recalculate', { fixYears })),
      supportButton(),
    ],
  };
}

function someProducts(domain: MortgageDomain, reader: ReaderProfile): GuidedReply {
  const { products, intent } = domain;
  const quoted = products.map((product) => ({ product, figures: figuresOf(product, intent) }));
  const list =
    reader.mode === 'text' && reader.device === 'desktop'
      ? [
          say('mortgage.tableHead'),
          '| --- | --- | --- |',
          ...quoted.map(
            ({ figures }) =>
              `| ${figures.rate} | ${figures.hasFee ? figures.fee : say('mortgage.noFee')} | ${figures.monthly} |`,
          ),
        ].join('\n')
      : quoted.map(({ figures }) => `- ${say('mortgage.productLine', figures)}`).join('\n');
  const spoken = quoted.map(({ figures }) => say('mortgage.productSpoken', figures)).join(' ');
  const intro = say('mortgage.someProducts', { count: products.length });
  return {
    text: lines(reader.mode === 'voice' ? [] : knownLines(domain), intro, reader.mode === 'voice' ? spoken : list),
    buttons: [
      ...quoted.map(({ product: { productId, rate }, figures }) => {
        const isClear = products.filter((other) => other.rate === rate).length === 1;
        const label = isClear ? say('mortgage.chooseProduct', figures) : say('mortgage.chooseProductFee', figures);
        return button(label, 'select_product', { productId });
      }),
      ...customerButtons(domain),
      supportButton(),
    ],
  };
}

function figuresOf(product: Product, intent: MortgageDomain['intent']) {
  const { currency } = product;
  const { monthly } = quoteLoan(product, { principal: intent.loanBalance ?? '0', years: intent.termYears });
  return {
    rate: sayPercent(product.rate),
    fee: sayRoundAmount(product.fee, currency),
    hasFee: Number(product.fee) > 0,
    monthly: sayAmount(monthly, currency),
  };
}

function selected(
  { intent, property_seen: seen }: MortgageDomain,
  product: Product,
  reader: ReaderProfile,
): GuidedReply {
  const { currency, fixYears } = product;
  const { termYears, loanBalance } = intent;
  const quoted = quoteLoan(product, { principal: loanBalance ?? '0', years: termYears });
  const amount = (value: string): string => sayAmount(value, currency);
  const facts = [
    say('mortgage.monthly', { amount: amount(quoted.monthly), years: Math.min(fixYears, termYears) }),
    say('mortgage.paidInFix', { paid: amount(quoted.paidInFix), left: amount(quoted.balanceAfterFix) }),
    ...(quoted.monthlyAfter === null
      ? []
      : [
          say('mortgage.monthlyAfter', { amount: amount(quoted.monthlyAfter), rate: sayPercent(product.followOnRate) }),
        ]),
    say('mortgage.fee', { amount: sayRoundAmount(product.fee, currency), hasFee: Number(product.fee) > 0 }),
  ];
  const title = say('mortgage.selected', { rate: sayPercent(product.rate), years: fixYears, term: termYears });
  const body = reader.mode === 'voice' ? facts.join(' ') : facts.map((fact) => `- ${fact}`).join('\n');
  const rounded = reader.mode === 'voice' ? [] : [say('mortgage.rounded')];
  return {
    text: lines([], title, body, ...rounded, ...(seen === null ? [say('mortgage.askSeen')] : [])),
    buttons: [
      ...termsAround(termYears).map((years) =>
        button(say('mortgage.overYears', { years }), 'recalculate', { termYears: years }),
      ),
      ...(seen === null
        ? [
            button(say('mortgage.seenYes'), 'property_seen', { answer: true }),
            button(say('mortgage.seenNo'), 'property_seen', { answer: false }),
          ]
        : []),
      button(say('mortgage.otherProducts'), 'show_products'),
      button(say('mortgage.checkAddress'), 'check_address'),
      branchButton(),
    ],
  };
}

function termsAround(years: number): readonly number[] {
  return [years - 5, years + 5].filter((one) => one >= 1 && one <= 40);
}

function customerButtons({ existing_customer: known }: MortgageDomain): readonly OfferedButton[] {
  if (known !== null) return [];
  return [
    button(say('mortgage.customerYes'), 'existing_customer', { answer: true }),
    button(say('mortgage.customerNo'), 'existing_customer', { answer: false }),
  ];
}

function addressText(domain: MortgageDomain): string {
  const { address, address_validation_failed: failed, last_attempted_address: attempted } = domain;
  if (address !== null) return say('mortgage.addressFound', { address });
  return failed && attempted !== null
    ? say('mortgage.addressUnknown', { address: attempted })
    : say('mortgage.askAddress');
}

function backButtons(domain: MortgageDomain): readonly OfferedButton[] {
  return domain.products.length > 0
    ? [button(say('mortgage.otherProducts'), 'show_products')]
    : [button(say('mortgage.beginAgain'), 'reset')];
}

function lines(list: readonly string[], ...paragraphs: readonly string[]): string {
  return [list.map((line) => `- ${line}`).join('\n'), ...paragraphs].filter((part) => part !== '').join('\n\n');
}

/** Formats an amount to the cent in the reader's language. */
function sayAmount(amount: string, currency: string): string {
  return format(amount, { style: 'currency', currency });
}

/** Formats an amount without cents when it is whole. */
function sayRoundAmount(amount: string, currency: string): string {
  return format(amount, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
}

/** Formats a percentage with up to three decimal places. */
function sayPercent(percent: string): string {
  return format(percent, { style: 'unit', unit: 'percent', maximumFractionDigits: 3 });
}

function format(decimal: string, options: Intl.NumberFormatOptions): string {
  // Intl formats decimal text exactly, but its type accepts only literals.
  return new Intl.NumberFormat(getCurrentLanguage(), options).format(decimal as Intl.StringNumericLiteral);
}

/** Computes the payments of a loan: at the fixed rate first, then at the follow-on rate on the remaining balance. */
export function quoteLoan(terms: Terms, loan: { readonly principal: string; readonly years: number }): Quote {
  const whole: Loan = { principal: loan.principal, ratePercent: terms.rate, months: loan.years * 12 };
  const fixed = buildSchedule(whole).slice(0, terms.fixYears * 12);
  const balanceAfterFix = fixed.at(-1)?.balance ?? loan.principal;
  const left = whole.months - fixed.length;
  const isPaid = left === 0 || Number(balanceAfterFix) === 0;
  return {
    monthly: getMonthlyPayment(whole),
    paidInFix: sumOf(fixed.map(({ payment }) => payment)),
    balanceAfterFix,
    monthlyAfter: isPaid
      ? null
      : getMonthlyPayment({ principal: balanceAfterFix, ratePercent: terms.followOnRate, months: left }),
  };
}
