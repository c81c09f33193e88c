import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { closeIncident, openIncident, type Incident } from '@signalbox/store/deploy/incidents';
import type { Pool } from '@signalbox/store/pool';
import { formatIncidentSubject, type WatchedService } from '@signalbox/store/deploy/service-health';
import { sayDuration } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { listIncidentPeople } from '@signalbox/store/incidents/incident-people';
import { toIncidentError } from './health-errors.ts';
import type { DiagnoseDeps } from './target.ts';
import type { Verdict } from './verdict.ts';

/** Opens the incident of a service and tells who is responsible once. A crash loop is an incident of its own, as is its stop. */
export async function openServiceIncident(
  parts: Pick<DiagnoseDeps, 'pool' | 'deployments'>,
  watched: WatchedService,
  verdict: Verdict,
  known: {
    readonly open: Incident | null;
    /** True when the service was down so often that people who know of a degraded service are notified again. */
    readonly isDown: boolean;
    readonly release: string | null;
    readonly ref: string;
    readonly lastError: string | null;
    /** Says why, in the language of each reader. */
    readonly sayBecause: () => string;
  },
): ReturnType<typeof openIncident> {
  const { project, environment } = watched;
  const { open, isDown, release, ref, lastError, sayBecause } = known;
  const { kind } = verdict as Verdict & { readonly kind: NonNullable<Verdict['kind']> }; // The caller has checked that `kind` is not null.
  const healthy = await parts.deployments.healthyBefore({ project, environment });
  const isLoop = kind === 'crash-loop';
  const isStopped = isLoop && verdict.isStopped === true;
  const isWorse = !isLoop && isDown && open?.evidence.verdict === 'degraded';
  const error = toIncidentError(verdict, release);
  return openIncident(parts.pool, {
    subject: formatIncidentSubject(watched),
    kind: isLoop ? kind : (open?.kind ?? kind),
    detail: sayBecause,
    evidence: { verdict: verdict.verdict, deploymentId: watched.serving },
    recipients: await listIncidentPeople(parts.pool, watched),
    project,
    say: isLoop
      ? () => sayLoop(watched, { because: sayBecause(), ref, isStopped, canRollBack: healthy !== null })
      : () => say('services.broken', { project, environment, verdict: verdict.verdict, because: sayBecause() }),
    quote: isLoop ? lastError : null,
    isCause: isLoop,
    ...(isStopped ? { step: 'stopped' } : {}),
    ...(isWorse ? { step: 'down' } : {}),
    buttons: [],
    card: { environment },
    error: error && { project, environment, ...error },
    mutedUntil: watched.mutedUntil,
  });
}

function sayLoop(
  { project, environment }: ServiceKey,
  values: Record<'because' | 'ref', string> & Record<'isStopped' | 'canRollBack', boolean>,
): string {
  const { because, ref, isStopped, canRollBack } = values;
  return isStopped
    ? say('services.crashLoopStopped', { project, environment, because, ref, canRollBack })
    : say('services.crashLoop', { project, environment, because });
}

export function closeServiceIncident(
  pool: Pool,
  { subject, kind, openedAt }: Incident,
  { project, environment, sayBecause, now }: ServiceKey & { readonly sayBecause: () => string; readonly now: Date },
): ReturnType<typeof closeIncident> {
  return closeIncident(pool, {
    subject,
    kind,
    project,
    say: () =>
      say('services.wellAgain', {
        project,
        environment,
        lasted: sayDuration(now.getTime() - openedAt.getTime()),
        because: sayBecause(),
      }),
  });
}
