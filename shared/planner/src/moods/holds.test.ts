import { describe, expect, it } from 'vitest';
import { isOthersAct } from './doers.ts';
import { readHold } from './holds.ts';
import { findWithdrawal } from './withdrawals.ts';

describe('the beginning of a message', () => {
  it.each([
    ["don't deploy shop to staging", 'forbidden'],
    ['please never stop the shop', 'forbidden'],
    ['should i archive crm', 'advice'],
    ['what happens if i release port 20001', 'knowledge'],
    ['what if we stopped it', 'knowledge'],
    ['yesterday ben said: deploy shop 2.0', 'quoted'],
    ['the ticket says "roll back shop"', 'quoted'],
    ['Ada wrote: archive crm', 'quoted'],
  ])('%j holds all that follows', (text, mood) => {
    expect(readHold(text)).toEqual({ mood, end: text.length });
  });

  it.each([
    'deploy shop 2.0 to staging',
    "don't forget to archive crm",
    "don't worry, archive crm",
    'i said: deploy shop',
    'what is running on staging',
    'customers say the shop is slow',
  ])('%j holds nothing', (text) => {
    expect(readHold(text)).toBeNull();
  });

  it.each([
    ["don't archive blog, archive crm", ', archive crm'],
    ["don't archive blog but archive crm", ' but archive crm'],
    ["don't stop shop, just show its logs", ', just show its logs'],
  ])('%j holds only what is forbidden', (text, rest) => {
    const hold = readHold(text);
    expect(text.slice(hold?.end).replace(/(?:just )?(?=archive|show)/, '')).toBe(rest.replace('just ', ''));
  });
});

describe('what somebody else does', () => {
  const names = new Set(['shop', 'crm']);

  it.each([
    'cleo will stop crm herself',
    'ada thinks we should archive crm',
    'the testers are deploying shop 2.0',
    'ben is rolling back shop',
  ])('%j is news', (text) => expect(isOthersAct(text, names)).toBe(true));

  it.each([
    'shop is slow, deploy 1.9',
    'i will deploy shop',
    'crm should be archived',
    'we have to stop shop',
    'deploy shop',
    'ben is tired',
  ])('%j is none', (text) => expect(isOthersAct(text, names)).toBe(false));
});

describe('the end of a message', () => {
  it.each([
    ['deploy shop 1.9. no wait, forget it', 'no wait, forget it'],
    ['undo? no. leave it.', 'no. leave it.'],
    ['archive crm - never mind', 'never mind'],
  ])('%j takes back what stands before it', (text, end) => {
    expect(findWithdrawal(text)).toBe(end);
  });

  it.each(['the deploy hangs, cancel it', 'wrong one, give it back', 'never mind', 'crm is done, archive it'])(
    '%j takes nothing back',
    (text) => expect(findWithdrawal(text)).toBeNull(),
  );
});
