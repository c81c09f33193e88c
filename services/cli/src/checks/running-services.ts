import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { abortAfter } from '@signalbox/contracts/time';
import type { CommandContext } from '../command.ts';
import { createFailure, createOk, getReason, createWarning, type CheckResult } from './finding.ts';

/** The used part of run.json, which `npm start` writes. */
const RunningServices = z.object({
  simulatorUrl: z.url().nullable().default(null),
  hooksUrl: z.url().nullable().default(null),
  services: z.array(z.object({ name: z.string(), probeUrl: z.url() })),
});
export type RunningServices = z.infer<typeof RunningServices>;

const PROBE_TIMEOUT_MS = 3_000;

/** Checks the /readyz of every service that `npm start` runs. */
export async function checkServices({ config }: CommandContext): Promise<readonly CheckResult[]> {
  const run = await readRunningServices(config.runFile);
  if (run === null)
    return [
      createWarning(
        'services',
        `no run.json at ${config.runFile}`,
        'Services that `npm start` did not start have their own /readyz.',
      ),
    ];
  return probeServices(run);
}

/** Requests the /readyz of every service in run.json. */
export function probeServices(run: RunningServices): Promise<readonly CheckResult[]> {
  return Promise.all(run.services.map(({ name, probeUrl }) => checkService(name, probeUrl)));
}

/** Reads run.json; null when it is missing or invalid. */
export async function readRunningServices(file: string): Promise<RunningServices | null> {
  try {
    const parsed = RunningServices.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // `npm start` has not run here.
  }
}

async function checkService(name: string, probeUrl: string): Promise<CheckResult> {
  try {
    const response = await fetch(probeUrl, { signal: abortAfter(PROBE_TIMEOUT_MS) });
    const [first = '', ...rest] = (await response.text()).trim().slice(0, 1_000).split('\n');
    if (response.ok && rest.length > 0) return createWarning(name, rest.join(' '), 'The service is ready otherwise.');
    if (response.ok) return createOk(name, 'ready');
    const problems = [first, ...rest].join('; ').slice(0, 300);
    return createFailure(
      name,
      `not ready: ${problems}`,
      'Mend what it names; it becomes ready by itself. Its log has more.',
    );
  } catch (error) {
    return createFailure(
      name,
      `does not answer at ${probeUrl}: ${getReason(error)}`,
      'Look at its log, and start it again.',
    );
  }
}
