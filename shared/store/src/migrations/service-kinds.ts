import type { AuditKind } from '@signalbox/contracts/governance/audit';
import { DATABASE_SERVICES, getServiceRole, type ServiceWithLogin } from './service-rights.ts';

const KINDS: Readonly<
  Record<ServiceWithLogin, { readonly anybody: readonly AuditKind[]; readonly system: readonly AuditKind[] }>
> = {
  /** Audit events about decisions and changes that people make themselves. */
  gateway: {
    anybody: [
      'approval.voted',
      'approval.click_refused',
      'approval.asked',
      'approval.answered',
      'approval.approved',
      'approval.rejected',
      'approval.modified',
      'approval.voided',
      'grant.given',
      'grant.revoked',
      'memory.forgotten',
      'schedule.changed',
      'freeze.set',
      'freeze.lifted',
      'break_glass.opened',
      'role.changed',
      'service.muted',
      'incident.taken',
      'incident.silenced',
      'rota.set',
      'rota.removed',
      'rota.covered',
      'rota.uncovered',
      'dead_letter.settled',
      'secret.kept',
      'secret.refused',
      'secret.deleted',
    ],
    system: ['approval.expired'],
  },
  /** Audit events about proposals of agents, decisions of policy, and outcomes. */
  worker: {
    anybody: [
      'action.proposed',
      'action.decided',
      'action.denied',
      'action.refused',
      'action.started',
      'action.settled',
      'action.unknown',
      'approval.requested',
      'approval.consumed',
      // A person withdraws their own request, or forgets a fact of their own, by words
      'approval.voided',
      'memory.forgotten',
      // An operator freezes by words
      'freeze.set',
      'freeze.lifted',
      'schedule.made',
      'schedule.changed',
      'capability.loaded',
      'capability.refused',
      'capability.unloaded',
      'project.tagged',
      'project.untagged',
      'finding.accepted',
      'finding.reopened',
      'registry.snapshot_made',
      'registry.restored',
      'turn.recorded',
    ],
    system: ['policy.loaded', 'policy.refused'],
  },
  maintenance: {
    anybody: [],
    system: ['approval.reminded', 'approval.escalated', 'approval.expired', 'approval.voided', 'schedule.paused'],
  },
  agents: { anybody: ['file.denied'], system: [] },
  deploy: {
    anybody: ['secret.used', 'secret.refused', 'file.denied'],
    system: ['service.revived', 'service.given_up', 'service.crash_stopped', 'incident.escalated'],
  },
  analysis: { anybody: ['file.denied', 'repository.scanned'], system: [] },
};

/**
 * Builds the statement that tells Postgres which audit events each role may record. The shared login and the command line may record
 * every kind. Idempotent.
 */
export function createAuditKindsSql(): string {
  const cases = DATABASE_SERVICES.map((service) => {
    const { anybody, system } = KINDS[service];
    return `when '${getServiceRole(service)}' then ${isOneOf(anybody)} or actor = 'system' and ${isOneOf(system)}`;
  });
  return `create or replace function public.audit_may(writer text, kind text, actor text) returns boolean
    language sql immutable parallel safe as $$ select case writer when 'signalbox_app' then true ${cases.join(' ')} end $$`;
}

function isOneOf(kinds: readonly AuditKind[]): string {
  return kinds.length === 0 ? 'false' : `kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})`;
}
