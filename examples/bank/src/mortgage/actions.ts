import { z } from 'zod';
import { MAX_FIX_YEARS, TOPICS } from './domain.ts';
import { toAmount } from './payment.ts';

/** Bounds of an accepted amount; any other amount is a typing mistake. */
const LEAST = 1_000;
const MOST = 100_000_000;

/** An amount as a number, or as decimal text with at most two places. */
const Money = z
  .union([z.number(), z.string().regex(/^\d{1,9}(\.\d{1,2})?$/)])
  .refine((given) => /^\d{1,9}(\.\d{1,2})?$/.test(String(given)) && Number(given) >= LEAST && Number(given) <= MOST)
  .transform((given) => toAmount(String(given)));

const Figures = z
  .strictObject({
    propertyValue: Money.optional().describe('What the property is worth'),
    loanBalance: Money.optional().describe('What is to be borrowed, or is still owed'),
    fixYears: z.int().min(1).max(MAX_FIX_YEARS).optional().describe('For how many years the rate is to be fixed'),
    termYears: z.int().min(1).max(40).optional().describe('Over how many years the loan is paid back'),
  })
  .refine((given) => Object.values(given).some((value) => value !== undefined));

const Nothing = z.strictObject({});

export const actions = {
  set_intent: {
    data: Figures,
    describe: 'The person says figures of the mortgage that they want, or other ones, such as a longer term.',
  },
  recalculate: {
    data: Figures,
    describe: null, // set_intent says the same in words
  },
  show_products: { data: Nothing, describe: 'The person wants to see the products that fit.' },
  select_product: {
    data: z.strictObject({ productId: z.string().regex(/^[a-z0-9-]{1,40}$/) }),
    describe: 'The person chooses one of the products by its id.',
  },
  existing_customer: {
    data: z.strictObject({ answer: z.boolean() }),
    describe: 'The person says whether they are a customer of the bank already.',
  },
  property_seen: {
    data: z.strictObject({ answer: z.boolean() }),
    describe: 'The person says whether they have found a property already.',
  },
  check_address: {
    data: z.strictObject({ address: z.string().trim().min(1).max(120).optional() }),
    describe: 'The person wants the address of the property checked.',
  },
  request_branch: { data: Nothing, describe: 'The person wants to come to a branch.' },
  ask_process: {
    data: z.strictObject({ topic: z.enum(TOPICS).optional() }),
    describe:
      'The person asks something: how getting a mortgage works, whether they earn enough (income), or whether it is fine so far (binding).',
  },
  get_support: { data: Nothing, describe: 'The person wants to speak to a person.' },
  reset: { data: Nothing, describe: 'The person wants to begin again.' },
};

export type MortgageActions = typeof actions;
