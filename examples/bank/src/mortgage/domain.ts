import { z } from 'zod';

/** Version of the conversation state; migrations.ts converts states of older versions. */
export const STATE_VERSION = 2;

export const DEFAULT_TERM_YEARS = 25;
/** No rate is fixed for longer; a longer time is that of the whole loan. */
export const MAX_FIX_YEARS = 15;
/** Number of misunderstood messages in a row after which the agent offers a human. */
export const MAX_MISUNDERSTOOD = 3;

/** An amount with cents, in the currency of the products. */
const Amount = z.string().regex(/^\d{1,9}\.\d{2}$/);
const Percent = z.string().regex(/^\d{1,7}(\.\d{1,3})?$/);

export const TOPICS = ['documents', 'timeline', 'fees', 'early_repayment', 'valuation', 'income', 'binding'] as const;
export type Topic = (typeof TOPICS)[number];

export const Product = z.object({
  productId: z.string(),
  fixYears: z.int(),
  maxLtv: Percent,
  rate: Percent,
  followOnRate: Percent,
  fee: Amount,
  currency: z.string(),
});
export type Product = z.infer<typeof Product>;

/** State of a mortgage conversation, with the field names of the original specification. */
export const MortgageDomain = z.object({
  intent: z.object({
    propertyValue: Amount.nullable(),
    loanBalance: Amount.nullable(),
    fixYears: z.int().nullable(),
    termYears: z.int(),
  }),
  /** Loan-to-value ratio in percent; null until both amounts are known. */
  ltv: Percent.nullable(),
  products: z.array(Product),
  /** Fixed-rate periods on offer, in years. */
  fixes: z.array(z.int()),
  selection: z.object({ productId: z.string() }).nullable(),
  existing_customer: z.boolean().nullable(),
  property_seen: z.boolean().nullable(),
  trouble_count: z.int(),
  show_support: z.boolean(),
  address_validation_failed: z.boolean(),
  last_attempted_address: z.string().nullable(),
  /** Registered address that matched the last attempt; null when none matched. */
  address: z.string().nullable(),
  branch_requested: z.boolean(),
  process_question: z.enum(TOPICS).nullable(),
  /** Subject of the last question, so that the agent understands an answer such as a bare number. */
  asked: z.enum(['propertyValue', 'loanBalance', 'fixYears', 'address']).nullable(),
});
export type MortgageDomain = z.infer<typeof MortgageDomain>;
export type LoanFigures = MortgageDomain['intent'];

/** Returns the state of a new mortgage conversation. */
export function createInitialDomain(): MortgageDomain {
  return {
    intent: { propertyValue: null, loanBalance: null, fixYears: null, termYears: DEFAULT_TERM_YEARS },
    ltv: null,
    products: [],
    fixes: [],
    selection: null,
    existing_customer: null,
    property_seen: null,
    trouble_count: 0,
    show_support: false,
    address_validation_failed: false,
    last_attempted_address: null,
    address: null,
    branch_requested: false,
    process_question: null,
    asked: null,
  };
}

/** Lists the inputs that the product search still needs, in the order of asking. */
export function listMissingInputs({
  propertyValue,
  loanBalance,
  fixYears,
}: LoanFigures): readonly NonNullable<MortgageDomain['asked']>[] {
  return [
    ...(propertyValue === null ? (['propertyValue'] as const) : []),
    ...(loanBalance === null ? (['loanBalance'] as const) : []),
    ...(fixYears === null ? (['fixYears'] as const) : []),
  ];
}

/** Finds the selected product; null when it is no longer on offer. */
export function findChosenProduct({
  products,
  selection,
}: Pick<MortgageDomain, 'products' | 'selection'>): Product | null {
  return products.find(({ productId }) => productId === selection?.productId) ?? null;
}
