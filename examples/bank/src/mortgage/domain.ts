import { z } from 'zod';

/** The shape of the state: see migrations.ts. */
export const STATE_VERSION = 2;

export const DEFAULT_TERM_YEARS = 25;
/** Messages that led nowhere, one after another, until a person is offered. */
export const MAX_TROUBLES = 3;

/** An amount in the currency of the products, with its cents. */
const Amount = z.string().regex(/^\d{1,9}\.\d{2}$/);
const Percent = z.string().regex(/^\d{1,7}(\.\d{1,3})?$/);

export const TOPICS = ['documents', 'timeline', 'fees', 'early_repayment', 'valuation'] as const;
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

/** What the agent knows of one person's requested, under the names of the document that it was first described in. */
export const MortgageDomain = z.object({
  intent: z.object({
    propertyValue: Amount.nullable(),
    loanBalance: Amount.nullable(),
    fixYears: z.int().nullable(),
    termYears: z.int(),
  }),
  /** Percent, for people; null until both amounts are known. */
  ltv: Percent.nullable(),
  products: z.array(Product),
  /** For how many years rates can be fixed. */
  fixes: z.array(z.int()),
  selection: z.object({ productId: z.string() }).nullable(),
  existing_customer: z.boolean().nullable(),
  property_seen: z.boolean().nullable(),
  trouble_count: z.int(),
  show_support: z.boolean(),
  address_validation_failed: z.boolean(),
  last_attempted_address: z.string().nullable(),
  /** The address of the register that the last attempt was. */
  address: z.string().nullable(),
  branch_requested: z.boolean(),
  process_question: z.enum(TOPICS).nullable(),
  /** What the last question was about, so that a bare answer is understood. */
  asked: z.enum(['propertyValue', 'loanBalance', 'fixYears', 'address']).nullable(),
});
export type MortgageDomain = z.infer<typeof MortgageDomain>;
export type Intent = MortgageDomain['intent'];

/** A conversation that has just begun. */
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

/** What is still to be asked before products can be looked for, in the order of asking. */
export function listMissingInputs({
  propertyValue,
  loanBalance,
  fixYears,
}: Intent): readonly NonNullable<MortgageDomain['asked']>[] {
  return [
    ...(propertyValue === null ? (['propertyValue'] as const) : []),
    ...(loanBalance === null ? (['loanBalance'] as const) : []),
    ...(fixYears === null ? (['fixYears'] as const) : []),
  ];
}

/** The product that was chosen, as long as it is on offer. */
export function findChosenProduct({
  products,
  selection,
}: Pick<MortgageDomain, 'products' | 'selection'>): Product | null {
  return products.find(({ productId }) => productId === selection?.productId) ?? null;
}
