import type { LogLine, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { redactText } from '@signalbox/safety/redact/redact';
import type { Driver, ProgramInstance, LogQuery } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import { createOpenedSecrets } from '../runner/opened-secrets.ts';
import type { createServiceStore } from '@signalbox/store/deploy/services';

/** Maximum length of a line in characters. */
const MAX_LINE_LENGTH = 2_000;

/** Redacts secrets in a log text. */
export type LogRedactor = (text: string) => string;

/** Creates a function that redacts a service's secrets from its log. Each opening is audited; unreadable secrets are skipped. */
export async function openLogRedactor(
  deps: { readonly services: Pick<ReturnType<typeof createServiceStore>, 'variables'> },
  service: ServiceKey,
  openSecret: JobContext['openSecret'],
): Promise<LogRedactor> {
  const opened = createOpenedSecrets();
  for (const { secret, givenBy } of await deps.services.variables(service)) {
    if (secret === null) continue;
    try {
      opened.add(await openSecret(secret, 'to keep it out of logs', givenBy));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return (text) => redactText(opened.mask(text)).slice(0, MAX_LINE_LENGTH);
}

export async function readLines(
  driver: Pick<Driver, 'logs'>,
  instance: ProgramInstance,
  query: Omit<LogQuery, 'follow'>,
  mask: LogRedactor,
): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of driver.logs(instance, query)) {
    lines.push({ ...line, line: mask(line.line) });
    if (lines.length >= query.tail) break;
  }
  return lines;
}
