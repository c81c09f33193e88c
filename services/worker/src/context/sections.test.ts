import { expect, it } from 'vitest';
import type { ContextRows } from '@signalbox/store/turns/context-rows';
import { listContextValues } from './sections.ts';

const none = { rows: [], total: 0 };
const ROWS: ContextRows = {
  at: new Date(0),
  isPrivate: true,
  frozenSince: null,
  breakGlassUntil: null,
  deciding: none,
  own: {
    rows: [
      {
        approvalId: 'apr_1',
        tool: 'trigger_deploy',
        asker: 'Eve',
        version: '9.9.9',
        environment: 'staging',
        resources: ['project:shop'],
        byRequester: true,
        requestedAt: '',
        expiresAt: '',
        votes: 0,
        needed: 1,
      },
    ],
    total: 1,
  },
  moving: none,
  jobs: none,
  owned: {
    rows: [
      {
        project: 'shop',
        environment: 'staging',
        server: 'rack',
        serverHealth: null,
        serving: true,
        release: '1.0.0-3f2a9c1',
        verdict: null,
        lookedAt: null,
        incidents: [],
      },
    ],
    total: 1,
  },
  incidents: none,
  key: '',
  memory: null,
};
const MEMORY = { facts: [{ n: 3, fact: 'forget 9', madeAt: '' }] };

it('versions that serve, requests and numbers of facts are values of the runtime, and a version that was asked for is not', () => {
  expect(listContextValues(ROWS, MEMORY)).toEqual([
    'shop/version=1.0.0-3f2a9c1',
    'shop/version=1.0.0',
    'request=apr_1',
    'number=3',
  ]);
});

it('numbers of private facts are no values where others read', () => {
  expect(listContextValues({ ...ROWS, isPrivate: false }, MEMORY)).not.toContain('number=3');
});
