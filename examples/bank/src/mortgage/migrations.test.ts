import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrateState } from '@signalbox/worker/guided/load';
import type { StoredValues } from '@signalbox/worker/guided/spec';
import { MortgageDomain, STATE_VERSION } from './domain.ts';
import { MIGRATION_STEPS } from './migrations.ts';

const FIXTURE = new URL('../../../../tests/fixtures/mortgage-state-1.json', import.meta.url);
const stored = (): StoredValues => JSON.parse(readFileSync(FIXTURE, 'utf8')) as StoredValues; // The state as it was stored
const versioned = {
  id: 'mortgage',
  stateVersion: STATE_VERSION,
  migrations: { 1: MIGRATION_STEPS },
  domain: MortgageDomain,
};

const MIGRATED = {
  intent: { propertyValue: '300000.00', loanBalance: '210000.50', fixYears: 5, termYears: 25 },
  ltv: null,
  products: [],
  fixes: [],
  selection: { productId: 'fix5-75' },
  existing_customer: true,
  property_seen: null,
  trouble_count: 2,
  show_support: false,
  address_validation_failed: true,
  last_attempted_address: '15 Semaphore Road QX1 2BD',
  address: null,
  branch_requested: true,
  process_question: null,
  asked: null,
};

describe('a mortgage conversation of version 1', () => {
  it('keeps the facts that the customer gave, with exact amounts, when it is migrated', () => {
    expect(migrateState(versioned, stored())).toMatchObject({
      kind: 'migrated',
      update: { stateVersion: 2, device: 'mobile', domain: { mortgage: MIGRATED } },
    });
  });

  it.each(MIGRATION_STEPS.map((_, step) => step))('loads when it was left after step %i', (step) => {
    const partly = MIGRATION_STEPS.slice(0, step + 1).reduce((values, move) => move(values), stored());
    expect(migrateState(versioned, partly)).toMatchObject({ update: { domain: { mortgage: MIGRATED } } });
  });

  it('is migrated field by field in the documented order, and no old field is left', () => {
    const rooted = Object.keys(stored());
    const moved = MIGRATION_STEPS.map((_, step) => {
      const values = MIGRATION_STEPS.slice(0, step + 1).reduce((all, move) => move(all), stored());
      return rooted.filter((field) => !Object.hasOwn(values, field));
    });
    expect(moved.map((fields, step) => fields.filter((field) => !moved[step - 1]?.includes(field)))).toEqual(
      [
        ['branch_requested'],
        ['address_validation_failed', 'last_attempted_address'],
        ['trouble_count', 'show_support'],
        ['existing_customer', 'property_seen', 'process_question'],
        ['intent'],
        ['ltv', 'products', 'selection'],
      ].map((fields) => rooted.filter((field) => fields.includes(field))),
    );
  });

  it.each([
    ['its intent is missing', { intent: undefined }],
    ['an amount is no number', { intent: { propertyValue: {}, loanBalance: 1 } }],
    ['a count is text', { trouble_count: 'two' }],
    ['it is newer than this release', { stateVersion: 3 }],
    ['it does not say its version', { stateVersion: undefined }],
  ])('cannot be loaded when %s', (_, change) => {
    expect(migrateState(versioned, { ...stored(), ...change }).kind).toBe('unreadable');
  });

  it('is migrated as a copy, and the stored state itself is not changed', () => {
    const values = stored();
    migrateState(versioned, values);
    expect(values).toEqual(stored());
  });
});
