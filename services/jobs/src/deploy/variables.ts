import { explainError } from '@signalbox/messages/say';
import type { ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import type { JobContext } from '../runner/handlers.ts';
import type { OpenedSecrets } from '../runner/opened-secrets.ts';
import type { DeployDeps } from './deploy-deps.ts';

/** Variables of a service with their values, and the secrets that could not be opened, with the reasons. */
export interface OpenedVariables {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly unopened: readonly { readonly name: string; readonly why: string }[];
}

/** Reads a service's variables and opens their secrets on behalf of the owners, with audit events; redacts values from later lines. */
export async function openVariables(
  parts: Pick<DeployDeps, 'services'>,
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
      unopened.push({ name, why: explainError(error) });
    }
  }
  return { values, secrets, unopened };
}

/** Describes the variables without a value, one sentence each. */
export function describeUnopened(unopened: OpenedVariables['unopened']): string {
  return unopened.map(({ name, why }) => `${name}: ${why}`).join(' ');
}
