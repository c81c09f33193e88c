import { z } from 'zod';
import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import { isGitRef } from '@signalbox/contracts/repository/ref';
import type { Risk } from '@signalbox/contracts/governance/action';
import { say } from '@signalbox/messages/say';
import { optionalEnvironment, type RiskWithReasons } from '../../tools/tool.ts';

/** A git revision: a tag, a branch or a commit. */
export const Version = z
  .string()
  .trim()
  .max(100)
  .refine(isGitRef, 'a version is a tag, a branch or a commit, such as 1.2.0, v3 or main')
  .describe('Version to deploy, such as 1.2.0, a tag, a branch or a commit')
  .meta({ ask: 'Which version: a tag, a branch or a commit?' });

export const AnyEnvironment = optionalEnvironment('Left out: any', 'In which environment?');

/** The resources that policy and approvers see in a call about one service. */
export const SERVICE_SCOPE = {
  environment: ({ environment }: ServiceKey) => environment,
  resources: (service: ServiceKey) => [
    `project:${service.project}`,
    `environment:${service.environment}`,
    `service:${formatServiceName(service)}`,
  ],
};

/** The risk of a change in an environment: production is critical, because other people's work depends on it. */
export function getEnvironmentRisk({ environment }: ServiceKey): Risk | RiskWithReasons {
  return environment === 'production' ? { risk: 'dangerous', reasons: [say('deploy.changesProduction')] } : 'sensitive';
}

export function addReasons(found: Risk | RiskWithReasons, more: readonly string[]): RiskWithReasons {
  const { risk, reasons } = typeof found === 'string' ? { risk: found, reasons: [] } : found;
  return { risk, reasons: [...reasons, ...more] };
}

/** The lock under which calls that change a service run one at a time. */
export function getServiceLock(service: ServiceKey): string {
  return `deploy:${formatServiceName(service)}`;
}
