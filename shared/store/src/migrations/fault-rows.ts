import type { ServiceWithLogin } from './service-rights.ts';

/** The subject of the incidents that are our own faults. */
export const OURS = 'signalbox';
/** More of a detail no admin reads, in characters. */
export const MAX_FAULT_LENGTH = 500;

/** Which service sees a fault of ours. Behind a colon stands the channel that it concerns, where there are several. */
export const FAULT_SERVICES = {
  'redis-full': 'maintenance',
  'redis-away': 'maintenance',
  'audit-unwritten': 'maintenance',
  'channel-refused': 'gateway',
} as const satisfies Record<string, ServiceWithLogin>;

/** The incidents that a service may open and end as faults of ours, as a condition of SQL: admins are told of them in our name. */
export function listFaultRows(service: 'gateway' | 'maintenance'): string {
  const kinds = Object.entries(FAULT_SERVICES).flatMap(([kind, by]) => (by === service ? [kind] : []));
  const rest = service === 'gateway' ? ':[a-z-]{1,40}' : '';
  return `incidents.subject = '${OURS}' and incidents.kind ~ '^(${kinds.join('|')})${rest}$'
    and length(incidents.detail) <= ${MAX_FAULT_LENGTH}`;
}
