import { describe, expect, it } from 'vitest';
import { readCondition } from './conditions.ts';

const VERBS = new Set(['mute', 'diagnose', 'export']);

describe('an order with a condition', () => {
  it.each([
    ['if nothing is wrong deploy 1.9', 'nothing is wrong', 'deploy 1.9'],
    ['if crm is down, mute it', 'crm is down', 'mute it'],
    [
      'deploy shop 2.1 to staging, unless there were errors today',
      'there were errors today',
      'deploy shop 2.1 to staging',
    ],
    ['roll back shop but only if the deploy failed', 'the deploy failed', 'roll back shop'],
    ['should there be errors in crm, stop it', 'there be errors in crm', 'stop it'],
    ['is shop up? if not roll it back', 'is shop up', 'roll it back'],
    ["check whether crm is ready, and if it's ready deploy 2.0", 'check whether crm is ready', 'deploy 2.0'],
    ['archive crm if cleo agrees', 'cleo agrees', 'archive crm'],
    ['if port 20005 is free on web-1 take it for shop', 'port 20005 is free on web-1', 'take it for shop'],
  ])('%j is parted', (text, condition, order) => {
    expect(readCondition(text, VERBS)).toEqual({ condition, order });
  });

  it.each([
    'deploy shop 2.1 to staging',
    'deploy shop 2.1 and tell me when it is done',
    'tell me if shop is healthy',
    'archive blog if you have a minute',
    'when was the last deploy',
    'list the projects if possible',
    'if i had a coin',
  ])('%j is none', (text) => {
    expect(readCondition(text, VERBS)).toBeNull();
  });
});
