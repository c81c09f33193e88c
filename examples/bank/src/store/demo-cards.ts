import type { Queryable } from '@signalbox/store/pool';
import { sql } from '@signalbox/store/sql';

const BRANCHES = [
  { id: 'brn_hamburg', name: 'Alsterhaus', city: 'Hamburg', street: 'Jungfernstieg 16', hours: '09:00–17:00' },
  { id: 'brn_berlin', name: 'Hauptbahnhof', city: 'Berlin', street: 'Europaplatz 1', hours: '08:00–18:00' },
  { id: 'brn_madrid', name: 'Sol', city: 'Madrid', street: 'Calle Mayor 4', hours: '09:00–14:00' },
  { id: 'brn_lisbon', name: 'Baixa', city: 'Lisbon', street: 'Rua Augusta 27', hours: '09:00–15:00' },
] as const;

/** Demo payments of each debit card; the last two are suspicious. */
const PAYMENTS = [
  { hoursAgo: 120, merchant: 'City Market', amountMinor: 4_310, isSuspicious: false },
  { hoursAgo: 96, merchant: 'Metro Tickets', amountMinor: 290, isSuspicious: false },
  { hoursAgo: 50, merchant: 'Corner Books', amountMinor: 1_999, isSuspicious: false },
  { hoursAgo: 26, merchant: 'Cafe Luna', amountMinor: 760, isSuspicious: false },
  { hoursAgo: 5, merchant: 'Gadget Palace Online', amountMinor: 64_900, isSuspicious: true },
  { hoursAgo: 4, merchant: 'Quick Gift Cards', amountMinor: 50_000, isSuspicious: true },
] as const;

/**
 * Creates the bank's branches, and a debit and a credit card for each person. Last digits derive from the person's key. Existing rows stay.
 */
export async function seedDemoCards(db: Queryable, persons: readonly string[]): Promise<void> {
  for (const { id, name, city, street, hours } of BRANCHES)
    await db.query(sql`insert into bank_branches (branch_id, name, city, street, hours)
      values (${id}, ${name}, ${city}, ${street}, ${hours}) on conflict do nothing`);
  for (const person of persons) await seedCardsOf(db, person);
}

async function seedCardsOf(db: Queryable, person: string): Promise<void> {
  const digits = person.replace(/\D/g, '').padStart(2, '0').slice(-2);
  const debit = `card_${person}_debit`;
  for (const { id, kind, last4 } of [
    { id: debit, kind: 'debit', last4: `44${digits}` },
    { id: `card_${person}_credit`, kind: 'credit', last4: `77${digits}` },
  ])
    await db.query(sql`insert into cards (card_id, person, kind, last4, address)
      values (${id}, ${person}, ${kind}, ${last4}, '12 Harbor Street') on conflict do nothing`);
  for (const [place, { hoursAgo, merchant, amountMinor, isSuspicious }] of PAYMENTS.entries())
    await db.query(sql`insert into card_transactions (transaction_id, card_id, at, merchant, amount_minor, currency, is_suspicious)
      select ${`tx_${person}_${place + 1}`}, c.card_id, now() - ${hoursAgo} * interval '1 hour', ${merchant}, ${amountMinor}, 'EUR', ${isSuspicious}
        from cards c where c.card_id = ${debit} on conflict do nothing`);
}
