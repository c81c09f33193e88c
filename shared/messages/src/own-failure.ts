import { AppError } from '@signalbox/contracts/errors';
import { JOBS } from '@signalbox/contracts/operations/jobs';
import { inLanguage, LANGUAGES } from './language.ts';
import { explain, sayError, sentencesOf } from './say.ts';

/** What jobs of ours talk to. */
const SERVERS = ['Redis', 'The proxy', 'HAProxy'];

/**
 * Which failure of ours alone a run ended with, when `said` is nothing but its sentence, in any language, or the news of it; otherwise
 * null. It compares whole sentences and believes no mark beside them: who may write the sentence could write the mark as well.
 */
export function ownFailureOf(said: string, runId: string): AppError | null {
  const number = /\d+(?:\.\d+)?/.exec(said.replaceAll(runId, ''))?.[0] ?? '';
  const known: readonly AppError[] = [
    new AppError('INTERNAL', { ref: runId }),
    new AppError('JOB_INTERRUPTED', { attempts: number }),
    new AppError('JOB_TOO_SLOW', { seconds: number }),
    new AppError('JOB_STALLED', { seconds: number }),
    ...SERVERS.map((service) => new AppError('UPSTREAM_UNAVAILABLE', { service })),
  ];
  return (
    LANGUAGES.flatMap((language) => inLanguage(language, () => known.filter((one) => isSaid(said, one))))[0] ?? null
  );
}

function isSaid(said: string, failure: AppError): boolean {
  const detail = explain(failure);
  if (!said.includes(detail)) return false;
  if (said === detail || said === `❓ ${sayError('DEPLOYMENT_BROKE_OFF', { detail })}`) return true;
  return titles().some((job) => said === sayError('JOB_FAILED', { job, detail }));
}

/** What a job may be called in the language that is spoken now. */
function titles(): readonly string[] {
  return [...Object.keys(JOBS), ...sentencesOf('jobs').filter((title) => !title.includes('{'))];
}
