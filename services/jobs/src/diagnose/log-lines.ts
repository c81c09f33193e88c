import type { LogLine, ServiceKey } from '@signalbox/contracts/operations/deploy';
import { AppError } from '@signalbox/contracts/errors';
import { redactText } from '@signalbox/safety/redact/redact';
import type { Driver, Instance, LogQuery } from '../drivers/driver.ts';
import type { JobContext } from '../runner/handlers.ts';
import { createOpenedSecrets } from '../runner/opened-secrets.ts';
import type { DiagnoseParts } from './target.ts';

/** Characters of a line that leave a server's log. */
const LONGEST = 2_000;

/** Takes out of a text what must not leave a service's log. */
export type Mask = (text: string) => string;

/**
 * Opens the secrets of a service, only to know what must not be in its log: each opening is audited with that purpose. A secret that
 * cannot be opened any more is none that we could find. Whatever looks like one is taken out as well.
 */
export async function maskOf(
  parts: Pick<DiagnoseParts, 'services'>,
  service: ServiceKey,
  openSecret: JobContext['openSecret'],
): Promise<Mask> {
  const opened = createOpenedSecrets();
  for (const { secret, givenBy } of await parts.services.variables(service)) {
    if (secret === null) continue;
    try {
      opened.add(await openSecret(secret, 'to keep it out of logs', givenBy));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return (text) => redactText(opened.mask(text)).slice(0, LONGEST);
}

/** The lines of an instance, the oldest first, without secrets. */
export async function readLines(
  driver: Pick<Driver, 'logs'>,
  instance: Instance,
  query: Omit<LogQuery, 'follow'>,
  mask: Mask,
): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of driver.logs(instance, query)) {
    lines.push({ ...line, line: mask(line.line) });
    if (lines.length >= query.tail) break;
  }
  return lines;
}
