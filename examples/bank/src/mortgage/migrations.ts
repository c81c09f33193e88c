import type { StateMigration, StoredValues } from '@signalbox/worker/guided/spec';
import { DEFAULT_TERM_YEARS, TOPICS } from './domain.ts';
import { toAmount } from './payment.ts';

/*
 * Version 1 kept the mortgage fields at the root of the state; version 2 keeps them under `domain.mortgage`. The fields move in groups,
 * the least dangerous group first. The state can be loaded after each step: fields that have not moved yet are read from the root, and
 * moving a field twice changes nothing.
 */

/** Steps from version 1 to version 2, in the order of the specification. */
export const MIGRATION_STEPS: StateMigration = [
  move(['branch_requested']),
  move(['address_validation_failed', 'last_attempted_address']),
  move(['trouble_count', 'show_support']),
  move(['existing_customer', 'property_seen', 'process_question'], ({ process_question: question, ...domain }) => ({
    ...domain,
    // Version 1 stored free text in this field, which no code reads any more.
    process_question: TOPICS.find((topic) => topic === question) ?? null,
  })),
  move(['intent'], ({ intent, ...domain }) => ({ ...domain, intent: exactIntent(intent) })),
  // Derived values are computed again; the selection stays while its product is on offer.
  move(['ltv', 'products', 'selection'], ({ selection, ...domain }) => ({
    ...domain,
    ltv: null,
    products: [],
    fixes: [],
    selection: chosenIn(selection),
    address: null,
    asked: null,
  })),
];

/** Moves fields from the root of the state to `domain.mortgage`; fields that exist there are not overwritten. */
function move(
  fields: readonly string[],
  change: (domain: StoredValues) => StoredValues = (domain) => domain,
): (values: StoredValues) => StoredValues {
  return (values) => {
    const { domain: all, ...root } = values;
    const domains = asObject(all ?? {});
    const before = asObject(domains['mortgage'] ?? {});
    const moved = fields.filter((field) => Object.hasOwn(root, field));
    const rest = Object.fromEntries(Object.entries(root).filter(([field]) => !moved.includes(field)));
    const found = Object.fromEntries(moved.map((field) => [field, root[field]]));
    return { ...rest, domain: { ...domains, mortgage: change({ ...found, ...before }) } };
  };
}

/** Version 1 stored amounts as binary numbers. */
function exactIntent(intent: unknown): StoredValues {
  const { propertyValue, loanBalance, fixYears = null, termYears = DEFAULT_TERM_YEARS } = asObject(intent);
  return { propertyValue: exactAmount(propertyValue), loanBalance: exactAmount(loanBalance), fixYears, termYears };
}

function exactAmount(amount: unknown): string | null {
  if (amount === null || amount === undefined) return null;
  if (typeof amount !== 'number' && typeof amount !== 'string') throw new TypeError('an amount that is no number');
  return toAmount(String(amount));
}

function chosenIn(selection: unknown): { readonly productId: string } | null {
  const { productId } = asObject(selection ?? {});
  return typeof productId === 'string' ? { productId } : null;
}

function asObject(value: unknown): StoredValues {
  if (typeof value === 'object' && value !== null) return value as StoredValues; // This condition checks the type
  throw new TypeError('a part of the state is no object');
}
