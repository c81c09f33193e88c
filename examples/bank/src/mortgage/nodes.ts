import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import type { NodeContext, NodeOutcome, NodeSpec } from '@signalbox/worker/guided/spec';
import type { MortgageActions } from './actions.ts';
import {
  findChosenProduct,
  createInitialDomain,
  listMissingInputs,
  Product,
  MAX_MISUNDERSTOOD,
  type MortgageDomain,
} from './domain.ts';
import { getLoanToValue } from './payment.ts';
import { TOPIC_ANSWERS, type ViewName } from './views.ts';

type MortgageContext = NodeContext<MortgageDomain, MortgageActions>;
type MortgageOutcome = NodeOutcome<MortgageDomain> & { readonly view?: ViewName };

/** Schemas of tool results, with only the fields that the nodes use. */
const FoundProducts = z.object({ products: z.array(Product), fixes: z.array(z.int()) });
const Checked = z.object({ address: z.string().nullable() });

/** State changes after a message that was understood. */
const WELL = { trouble_count: 0, show_support: false } as const;

/** Nodes of the graph. A node depends only on its context. */
export const nodes = {
  read_intent: {
    does: 'Takes the figures that the person gave.',
    then: ['render_missing_inputs', 'calculate_ltv'],
    run: async ({ domain, given }): Promise<MortgageOutcome> => {
      const figures = given('set_intent') ?? given('recalculate') ?? {};
      const intent = { ...domain.intent, ...withoutUndefined(figures) };
      const isTooLong = intent.fixYears !== null && intent.fixYears > intent.termYears;
      if (isTooLong)
        return {
          replies: [{ text: say('mortgage.fixTooLong', { years: intent.termYears }), buttons: [] }],
          errors: { fixYears: 'longer than the term' },
          goto: 'render_missing_inputs',
        };
      return {
        domain: { intent, ...WELL },
        goto: listMissingInputs(intent).length > 0 ? 'render_missing_inputs' : 'calculate_ltv',
      };
    },
  },
  render_missing_inputs: {
    does: 'Asks for the next figure that is missing.',
    run: async (context): Promise<MortgageOutcome> => {
      const [asked = null] = listMissingInputs(context.domain.intent);
      if (asked === null) return { view: 'products' };
      const fixes = asked === 'fixYears' ? await listFixes(context) : context.domain.fixes;
      return { domain: { asked, fixes }, view: 'inputs', awaits: true };
    },
  },
  calculate_ltv: {
    does: 'Works out what share of the value the loan is.',
    then: ['fetch_mortgage_products'],
    run: async ({ domain: { intent } }): Promise<MortgageOutcome> => ({
      domain: { ltv: getLoanToValue(intent.loanBalance ?? '0', intent.propertyValue ?? '1') },
      goto: 'fetch_mortgage_products',
    }),
  },
  fetch_mortgage_products: {
    does: 'Looks for the products that fit.',
    then: ['recalculate_monthly_payment', 'render_products'],
    run: async ({ domain, call }): Promise<MortgageOutcome> => {
      const { propertyValue, loanBalance, fixYears } = domain.intent;
      const requested = { propertyValue, loanBalance, fixYears, isExisting: domain.existing_customer };
      const result = await call('find_mortgage_products', requested);
      if (!result.ok) return failed(result.say);
      const { products, fixes } = FoundProducts.parse(result.result);
      const kept = { ...domain, products, fixes };
      const goto = findChosenProduct(kept) ? 'recalculate_monthly_payment' : 'render_products';
      return { domain: { products, fixes, asked: null }, goto };
    },
  },
  render_products: {
    does: 'Shows the products with their payments.',
    run: async (): Promise<MortgageOutcome> => ({ domain: { selection: null }, view: 'products' }),
  },
  select_product: {
    does: 'Takes the product that the person chose.',
    then: ['recalculate_monthly_payment', 'render_products'],
    run: async ({ domain, given }): Promise<MortgageOutcome> => {
      const productId = given('select_product')?.productId ?? '';
      const isOffered = domain.products.some((product) => product.productId === productId);
      if (isOffered) return { domain: { selection: { productId }, ...WELL }, goto: 'recalculate_monthly_payment' };
      const text = say('mortgage.productUnknown');
      return { replies: [{ text, buttons: [] }], errors: { productId: 'not on offer' }, goto: 'render_products' };
    },
  },
  recalculate_monthly_payment: {
    does: 'Shows what the chosen product costs with the figures as they are now.',
    run: async (): Promise<MortgageOutcome> => ({ view: 'selection' }),
  },
  note_customer: {
    does: 'Takes down whether the person is a customer already; some products are for those alone.',
    then: ['render_missing_inputs', 'calculate_ltv'],
    run: async ({ domain, given }): Promise<MortgageOutcome> => ({
      domain: { existing_customer: given('existing_customer')?.answer ?? null },
      goto: listMissingInputs(domain.intent).length > 0 ? 'render_missing_inputs' : 'calculate_ltv',
    }),
  },
  note_property: {
    does: 'Takes down whether the person has found a property.',
    then: ['validate_address', 'answer_process_question'],
    run: async ({ given }): Promise<MortgageOutcome> => {
      const seen = given('property_seen')?.answer ?? null;
      const next = seen ? 'validate_address' : 'answer_process_question';
      return { domain: { property_seen: seen, ...(seen ? {} : { process_question: 'timeline' }) }, goto: next };
    },
  },
  validate_address: {
    does: 'Asks for an address, or looks it up in the register.',
    then: ['render_support'],
    run: async ({ domain, given, call }): Promise<MortgageOutcome> => {
      const attempted = given('check_address')?.address;
      if (attempted === undefined)
        return {
          domain: { asked: 'address', address: null, address_validation_failed: false },
          view: 'address',
          awaits: true,
        };
      const result = await call('check_property_address', { address: attempted });
      if (!result.ok) return failed(result.say);
      const { address } = Checked.parse(result.result);
      const tried = { last_attempted_address: attempted, address, address_validation_failed: address === null };
      if (address !== null) return { domain: { ...tried, asked: null, ...WELL }, view: 'address' };
      const trouble = domain.trouble_count + 1;
      const next: MortgageOutcome =
        trouble < MAX_MISUNDERSTOOD ? { view: 'address', awaits: true } : { goto: 'render_support' };
      return {
        domain: { ...tried, asked: 'address', trouble_count: trouble },
        ...next,
        errors: { address: 'not in the register' },
      };
    },
  },
  request_branch: {
    does: 'Asks for a visit to a branch.',
    run: async ({ domain, call }): Promise<MortgageOutcome> => {
      if (domain.branch_requested) return { view: 'branch' };
      const productId = findChosenProduct(domain)?.productId;
      const result = await call('request_branch_visit', productId === undefined ? {} : { productId });
      // A request that waits for approval is not done yet; a later event reports its result.
      if (!result.ok || !result.changed) return failed(result.say);
      return { domain: { branch_requested: true, asked: null }, view: 'branch' };
    },
  },
  answer_process_question: {
    does: 'Answers a question about how getting a mortgage works.',
    run: async ({ domain, given }): Promise<MortgageOutcome> => {
      const asked = given('ask_process');
      const topic = asked ? (asked.topic ?? null) : domain.process_question;
      // A question of the person is answered before the open question is asked again.
      if (asked?.topic !== undefined && domain.asked !== null)
        return { replies: [{ text: TOPIC_ANSWERS[asked.topic](), buttons: [] }], asksAgain: true };
      return { domain: { process_question: topic }, view: 'process' };
    },
  },
  count_trouble: {
    does: 'Counts words that led nowhere, and offers a person after the third time.',
    then: ['render_missing_inputs', 'render_support', 'render_products'],
    run: async ({ domain }): Promise<MortgageOutcome> => {
      const trouble = domain.trouble_count + 1;
      if (trouble >= MAX_MISUNDERSTOOD) return { domain: { trouble_count: trouble }, goto: 'render_support' };
      const isBeginning = trouble === 1 && domain.asked === null && domain.intent.propertyValue === null;
      const replies = isBeginning ? [] : [{ text: say('mortgage.notUnderstood'), buttons: [] }];
      return { domain: { trouble_count: trouble }, replies, goto: 'render_missing_inputs' };
    },
  },
  render_support: {
    does: 'Offers a person.',
    run: async (): Promise<MortgageOutcome> => ({ domain: { show_support: true, asked: null }, view: 'support' }),
  },
  tell_news: {
    does: 'Says what came of something that was decided.',
    run: async ({ heard }): Promise<MortgageOutcome> => ({
      replies: [{ text: heard.kind === 'news' ? heard.say : say('mortgage.notUnderstood'), buttons: [] }],
    }),
  },
  reset: {
    does: 'Forgets everything and begins again.',
    then: ['render_missing_inputs'],
    run: async (): Promise<MortgageOutcome> => ({ domain: createInitialDomain(), goto: 'render_missing_inputs' }),
  },
} satisfies Record<string, NodeSpec<MortgageDomain, MortgageActions>>;

export type NodeName = keyof typeof nodes;

async function listFixes({ call, domain }: MortgageContext): Promise<MortgageDomain['fixes']> {
  const result = await call('list_mortgage_fixes', {});
  const found = FoundProducts.pick({ fixes: true }).safeParse(result.result);
  return result.ok && found.success ? found.data.fixes : domain.fixes;
}

/** Replies with the sentence of a tool call that was refused, failed or waits. */
function failed(text: string): MortgageOutcome {
  return { replies: [{ text, buttons: [] }], errors: { tool: 'not done' } };
}

function withoutUndefined<T extends object>(given: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  // The filter removed all undefined values
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
