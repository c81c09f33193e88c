import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { CHANGE_DEFAULTS, LOOK_UP_DEFAULTS, tool, toolGroup } from '@signalbox/worker/tools/tool';

/** An amount as decimal text. */
const Amount = z.string().regex(/^\d{1,9}\.\d{2}$/);
const ProductId = z.string().regex(/^[a-z0-9-]{1,40}$/);

const NOT_DONE = { kind: 'not-done' } as const;

export default toolGroup({
  name: 'mortgage',
  summary: 'Look for mortgage products, check addresses of properties, and ask for a visit to a branch.',
  owner: 'mortgage',
  uses: ['mortgage'],
  tools: {
    list_mortgage_fixes: tool({
      describe: 'List for how many years the rate of a mortgage can be fixed.',
      hints: [
        'for how many years can the rate be fixed',
        'which fixed rates are there',
        'how long can a mortgage be fixed',
        'list the fixes of mortgages',
        'what fixed periods are on offer',
        'fixed rate periods',
      ],
      input: z.object({}),
      ...LOOK_UP_DEFAULTS,
      run: async (_input, { ports }) => ({ fixes: [...(await ports.mortgage.listFixes())] }),
      phrases: { done: ({ fixes }) => say('mortgage.fixesFound', { years: fixes.join(', ') }) },
    }).from('runtime'),

    find_mortgage_products: tool({
      describe: 'Find the mortgage products that fit a property, a loan and a fixed period, the lowest rate first.',
      hints: [
        'find mortgage products',
        'which mortgages fit a loan of 200000',
        'show fixed rate mortgages for five years',
        'what mortgage products are on offer',
        'find a mortgage for my house',
        'compare mortgages',
      ],
      input: z.object({
        propertyValue: Amount.describe('Value of the property, with cents').meta({
          ask: 'What is the property worth?',
        }),
        loanBalance: Amount.describe('The loan, with cents').meta({ ask: 'How much is to be borrowed?' }),
        fixYears: z
          .int()
          .min(1)
          .max(15)
          .describe('Years that the rate is fixed')
          .meta({ ask: 'Fixed for how many years?' }),
        isExisting: z
          .boolean()
          .nullable()
          .default(null)
          .describe('Whether the person is a customer; null when unknown'),
      }),
      ...LOOK_UP_DEFAULTS,
      run: async (requested, { ports }) => ({
        products: (await ports.mortgage.listProducts(requested)).map((product) => ({ ...product })),
        fixes: [...(await ports.mortgage.listFixes())],
      }),
      phrases: { done: ({ products }) => say('mortgage.productsFound', { count: products.length }) },
    }).from({
      fixes: 'runtime',
      products: {
        productId: 'runtime',
        rate: 'runtime',
        fee: 'runtime',
        fixYears: 'runtime',
        followOnRate: 'runtime',
        maxLtv: 'runtime',
        currency: 'runtime',
      },
    }),

    check_property_address: tool({
      describe: 'Check an address of a property against the register.',
      hints: [
        'check the address 1 Lantern Street QX1 1AA',
        'is this address in the register',
        'validate the address of the property',
        'look up a property by its postcode',
        'is that a known address',
        'verify the address of my house',
      ],
      input: z.object({
        address: z
          .string()
          .min(1)
          .max(120)
          .describe('House number, street and postcode')
          .meta({ ask: 'Which address?' }),
      }),
      ...LOOK_UP_DEFAULTS,
      run: async ({ address }, { ports }) => {
        const place = readAddress(address);
        const found = place && (await ports.mortgage.findAddress(place.postcode, place.house));
        return { address: found ? sayAddress(found) : null };
      },
      phrases: {
        done: ({ address }) =>
          address === null ? say('mortgage.registerWithout') : say('mortgage.addressFound', { address }),
      },
    }).from({ address: 'outside' }),

    request_branch_visit: tool({
      describe: 'Ask for a visit to a branch, so that the bank calls the person to make a date.',
      hints: [
        'ask for a visit to a branch',
        'i want to come to a branch about my mortgage',
        'book a mortgage appointment',
        'make a date at the branch',
        'let me speak to a mortgage adviser',
        'request a branch visit',
      ],
      input: z.object({ productId: ProductId.optional().describe('The product that it is about') }),
      ...CHANGE_DEFAULTS,
      deadlineMs: 5_000,
      resources: () => ['mortgage:branch-visit'],
      lock: () => null,
      run: async ({ productId = null }, { ports, actor, actionId }) => {
        const { requestId } = await ports.mortgage.requestBranch({ userKey: actor.userKey, productId }, actionId);
        return { requestId };
      },
      probe: async (_input, { ports, actionId, wrote }) => {
        const request = (await wrote()) ? await ports.mortgage.branchRequest(actionId) : null;
        return request ? { kind: 'done', output: { requestId: request.requestId } } : NOT_DONE;
      },
      phrases: {
        order: () => say('mortgage.branchOrder'),
        done: ({ requestId }) => say('mortgage.branchDone', { requestId }),
      },
    }).from({ requestId: 'runtime' }),
  },
});

/** Parses an address with the house number at the beginning and the British postcode at the end; null when one is missing. Pure. */
function readAddress(text: string): { readonly postcode: string; readonly house: string } | null {
  const clean = text.normalize('NFKC').replace(/\s+/g, ' ').trim();
  const postcode = /([A-Z]{1,2}\d[A-Z\d]?) ?(\d[A-Z]{2})$/i.exec(clean);
  const house = /^(\d{1,5}) ?([a-z])?(?=[\s,])/i.exec(clean);
  if (!postcode || !house) return null;
  return {
    postcode: `${postcode[1]}${postcode[2]}`.toUpperCase(),
    house: `${Number(house[1])}${(house[2] ?? '').toLowerCase()}`,
  };
}

function sayAddress(found: {
  readonly house: string;
  readonly street: string;
  readonly town: string;
  readonly postcode: string;
}): string {
  const { house, street, town, postcode } = found;
  return `${house} ${street}, ${town} ${postcode.slice(0, -3)} ${postcode.slice(-3)}`;
}
