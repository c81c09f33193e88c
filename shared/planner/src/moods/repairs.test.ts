import { describe, expect, it } from 'vitest';
import catalog from '../catalog.fixture.json' with { type: 'json' };
import { indexCapabilities } from '../match/capability-index.ts';
import { BASE_TOOLS } from '../plan.ts';
import { findRepair, repairedAnswer, withRepair } from './repairs.ts';

const index = indexCapabilities(catalog, [], BASE_TOOLS);
const known = { project: ['shop', 'blog'], server: ['web-1', 'web-2'] };
const around = { index, facts: { activeGroups: [], known, currentProject: null } };

describe('somebody who corrects what they have just written', () => {
  it.each([
    ['deploy shop 1.8, no wait, 1.9 to staging', 'deploy shop 1.9 to staging'],
    ['archive shop, sorry, blog', 'archive blog'],
    ['port for shop on web-1, i mean web-2', 'port for shop on web-2'],
    ['deploy shop 1.8 to staging - oops, no, production', 'deploy shop 1.8 to production'],
    ['release port 20001, make that 20002 on web-1', 'release port 20002 on web-1'],
  ])('%j means what was said last', (text, meant) => {
    expect(withRepair(text, around)).toBe(meant);
  });

  it.each([
    'archive shop, no hurry',
    'sorry, which servers do we have',
    'no, staging',
    'is shop up, or rather slow',
    'list the projects',
  ])('%j corrects nothing', (text) => {
    expect(withRepair(text, around)).toBe(text);
  });

  it.each([
    ['one gig. sorry, two', 'two gig'],
    ['prod. no wait, staging', 'staging'],
    ['cups... no, call it cup-corner', 'call it cup-corner'],
  ])('%j answers twice', (text, meant) => {
    expect(repairedAnswer(text)).toBe(meant);
  });

  it('is no one who only says no', () => {
    expect(findRepair('no wait')).toBeNull();
    expect(findRepair('shop')).toBeNull();
  });
});
