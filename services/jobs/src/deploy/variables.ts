import { explain } from '@signalbox/messages/say';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type { JobContext } from '../runner/handlers.ts';
import type { OpenedSecrets } from '../runner/opened-secrets.ts';
import type { DeployParts } from './parts.ts';

/** The variables of a service with their values, and the names of those whose secret could not be opened, with why. */
export interface OpenedVariables {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly unopened: readonly { readonly name: string; readonly why: string }[];
}

/**
 * Reads the variables of a service and opens its secrets, each in the name of the person who gave it; every opening is audited with
 * the purpose. What was opened is left out of all lines from now on.
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

/** Why values are missing, one sentence for each variable. */
export function describeUnopened(unopened: OpenedVariables['unopened']): string {
  return unopened.map(({ name, why }) => `${name}: ${why}`).join(' ');
}
