import { ChainFetchResult } from '../repository/chain-run.ts';
import { ChangePayload, ChangeResult, LookResult, PublishPayload, PublishResult } from './change.ts';

const MINUTE_MS = 60_000;

/** Jobs of changes of code. The pool `deploy` has the logins of repositories and forges, the pool `analysis` the keys of models. */
export const ENGINEERING_JOBS = {
  // The first part of an `engineering.change` run.
  'engineering.fetch': {
    pool: 'deploy',
    payload: ChangePayload,
    result: ChainFetchResult,
    attempts: 5,
    deadlineMs: 10 * MINUTE_MS,
    everyMs: null,
  },
  // Each attempt continues behind the last saved step, so interruptions are harmless.
  'engineering.change': {
    pool: 'analysis',
    payload: ChangePayload,
    result: ChangeResult,
    attempts: 40,
    deadlineMs: 60 * MINUTE_MS,
    everyMs: null,
    before: { job: 'engineering.fetch', as: 'fetched' },
  },
  'engineering.look': {
    pool: 'deploy',
    payload: ChangePayload.pick({ changeId: true, project: true }),
    result: LookResult,
    attempts: 2,
    deadlineMs: MINUTE_MS,
    everyMs: null,
  },
  // The branch and the pull request are looked for before they are made, so interruptions are harmless.
  'engineering.publish': {
    pool: 'deploy',
    payload: PublishPayload,
    result: PublishResult,
    attempts: 10,
    deadlineMs: 10 * MINUTE_MS,
    everyMs: null,
  },
} as const;
