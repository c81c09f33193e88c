import { listFaults } from '@signalbox/store/faults';
import type { CommandContext } from '../command.ts';
import { createFailure, createOk, getReason, createWarning, type CheckResult } from './finding.ts';

const REMEDY = 'Have the person it concerns, or an admin, write to the bot in private: they are told within a minute.';

/** Checks for faults of Signalbox itself and for undelivered notices. */
export async function checkFaults({ config, database }: CommandContext): Promise<readonly CheckResult[]> {
  if (config.DATABASE_URL === undefined) return []; // checkDatabase reports a missing URL.
  try {
    const faults = await listFaults(database());
    if (faults.length === 0) return [createOk('news', 'all of it was told')];
    return faults.map(({ say, hasNoRecipient }) =>
      hasNoRecipient
        ? createFailure('news', say, REMEDY)
        : createFailure('faults', say, 'docs/operations.md, "Faults of our own", says what to do.'),
    );
  } catch (error) {
    return [
      createWarning('news', `cannot be looked up: ${getReason(error)}`, 'Mend what the check of Postgres names.'),
    ];
  }
}
