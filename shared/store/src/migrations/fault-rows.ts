import type { ServiceWithLogin } from './service-rights.ts';

/** Subject of the incidents that are faults of Signalbox itself. */
export const FAULT_SUBJECT = 'signalbox';
/** Maximum length of the detail of a fault, in characters. */
export const MAX_FAULT_LENGTH = 500;

/** The service that reports each fault of Signalbox. `channel-refused:` is followed by the name of the channel. */
export const FAULT_SERVICES = {
  'redis-full': 'maintenance',
  'redis-away': 'maintenance',
  'audit-unwritten': 'maintenance',
  'channel-refused': 'gateway',
} as const satisfies Record<string, ServiceWithLogin>;

/** Builds an SQL condition for the incidents that a service may open and end as faults of Signalbox. */
export function buildFaultCondition(service: 'gateway' | 'maintenance'): string {
  const kinds = Object.entries(FAULT_SERVICES).flatMap(([kind, by]) => (by === service ? [kind] : []));
  const rest = service === 'gateway' ? ':[a-z-]{1,40}' : '';
  return `incidents.subject = '${FAULT_SUBJECT}' and incidents.kind ~ '^(${kinds.join('|')})${rest}$'
    and length(incidents.detail) <= ${MAX_FAULT_LENGTH}`;
}
