import type { ServiceWithLogin } from './service-rights.ts';

/** Subject of the incidents that are faults of Signalbox itself. */
export const FAULT_SUBJECT = 'signalbox';
/** Maximum length of the detail of a fault, in characters. */
export const MAX_FAULT_LENGTH = 500;

/**
 * The service that reports each fault of Signalbox. `channel-refused:` is followed by the name of the channel, `on-call-gap:` by a rota and
 * the account of a person in it.
 */
export const FAULT_SERVICES = {
  'redis-full': 'maintenance',
  'redis-away': 'maintenance',
  'audit-unwritten': 'maintenance',
  'disk-filling': 'maintenance',
  'channel-refused': 'gateway',
  'on-call-gap': 'maintenance',
} as const satisfies Record<string, ServiceWithLogin>;

/** What follows the name of a fault, as a pattern. */
const SUFFIXES: Readonly<Partial<Record<keyof typeof FAULT_SERVICES, string>>> = {
  'channel-refused': ':[a-z-]{1,40}',
  'on-call-gap': ':[a-z0-9-]{1,31}/.{1,120}',
};

/** Builds an SQL condition for the incidents that a service may open and end as faults of Signalbox. */
export function buildFaultCondition(service: 'gateway' | 'maintenance'): string {
  const names = Object.keys(FAULT_SERVICES) as readonly (keyof typeof FAULT_SERVICES)[]; // it has exactly these keys
  const kinds = names.flatMap((kind) => (FAULT_SERVICES[kind] === service ? [`${kind}${SUFFIXES[kind] ?? ''}`] : []));
  return `incidents.subject = '${FAULT_SUBJECT}' and incidents.kind ~ '^(${kinds.join('|')})$'
    and length(incidents.detail) <= ${MAX_FAULT_LENGTH}`;
}
