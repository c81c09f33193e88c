import { explain } from '@signalbox/messages/say';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type { JobContext } from '../runner/handlers.ts';
import type { OpenedSecrets } from '../runner/opened-secrets.ts';
import type { DeployParts } from './parts.ts';

/** Variables of a service with values, and those whose secret could not be opened, with the reason. */
export interface OpenedVariables {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly unopened: readonly { readonly name: string; readonly why: string }[];
}

/**
 * Reads the variables of a service and opens its secrets, each in the name of its giver and audited with the purpose. Opened values are
 * redacted from all later lines.
 */
export async function openVariables(
  parts: Pick<DeployParts, 'services'>,
  service: ServiceKey,
  options: {
    readonly openSecret: JobContext['openSecret'];
    readonly opened: OpenedSecrets;
    readonly purpose: string;
  },
): Promise<OpenedVariables> {
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const unopened: { name: string; why: string }[] = [];
  for (const { name, value, secret, givenBy } of await parts.services.variables(service)) {
    if (secret === null) {
      values[name] = value ?? '';
      continue;
    }
    secrets.push(name);
    try {
      const opened = await options.openSecret(secret, options.purpose, givenBy);
      options.opened.add(opened);
      values[name] = opened;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unopened.push({ name, why: explain(error) });
    }
  }
  return { values, secrets, unopened };
}

/** Describes missing values, one sentence per variable. */
export function describeUnopened(unopened: OpenedVariables['unopened']): string {
  return unopened.map(({ name, why }) => `${name}: ${why}`).join(' ');
}
