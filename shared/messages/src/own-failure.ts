import { AppError } from '@signalbox/contracts/errors';
import { JOBS } from '@signalbox/contracts/operations/jobs';
import { runInLanguage, LANGUAGES } from './language.ts';
import { explainError, sayError, listSentences } from './say.ts';

/** Servers that jobs connect to. */
const SERVERS = ['Redis', 'The proxy', 'HAProxy'];

/**
 * Finds the failure of Signalbox itself with which a run ended; null when `said` is more than the sentence of such a failure in some
 * language. Compares whole sentences and trusts no mark in the text, because whoever can write the sentence could also write the mark.
 */
export function findInternalFailure(said: string, runId: string): AppError | null {
  const number = /\d+(?:\.\d+)?/.exec(said.replaceAll(runId, ''))?.[0] ?? '';
  const known: readonly AppError[] = [
    new AppError('INTERNAL', { ref: runId }),
    new AppError('JOB_INTERRUPTED', { attempts: number }),
    new AppError('JOB_TOO_SLOW', { seconds: number }),
    new AppError('JOB_STALLED', { seconds: number }),
    ...SERVERS.map((service) => new AppError('UPSTREAM_UNAVAILABLE', { service })),
  ];
  return (
    LANGUAGES.flatMap((language) => runInLanguage(language, () => known.filter((one) => isSaid(said, one))))[0] ?? null
  );
}

function isSaid(said: string, failure: AppError): boolean {
  const detail = explainError(failure);
  if (!said.includes(detail)) return false;
  if (said === detail || said === `❓ ${sayError('DEPLOYMENT_BROKE_OFF', { detail })}`) return true;
  return titles().some((job) => said === sayError('JOB_FAILED', { job, detail }));
}

/** Names of jobs in the current language. */
function titles(): readonly string[] {
  return [...Object.keys(JOBS), ...listSentences('jobs').filter((title) => !title.includes('{'))];
}
