import { openConfinement } from '@signalbox/jobs/sandbox/confinement';
import type { DriverDeps } from '@signalbox/jobs/drivers/driver-deps';
import type { BuildRequest, InstanceRequest } from '@signalbox/jobs/drivers/driver';
import { openTestConfinement } from './bubblewrap.ts';
import { openTestDriver, traitsOfTest, type TestServer } from './example-drivers.ts';

/** What a process that uses a driver is told, on its standard input. */
export interface DriverErrand {
  readonly server: TestServer;
  readonly parts: Omit<DriverDeps, 'openSecret' | 'confinement'>;
  /** The key of the login, for a target that takes one. */
  readonly secret: string;
  readonly step:
    | { readonly name: 'start'; readonly request: InstanceRequest }
    | { readonly name: 'build'; readonly request: Omit<BuildRequest, 'onLine' | 'signal'>; readonly until: string };
}

// A job service that is killed in the middle of its work: right after a start, or when a build has said a certain line.
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const { server, parts, secret, step } = JSON.parse(Buffer.concat(chunks).toString()) as DriverErrand;
// What was sent is JSON, and no confinement.
const isConfined = !traitsOfTest(server).runsImages;
const confinement = isConfined ? (await openTestConfinement()).confinement : await openConfinement({ program: null });
const driver = await openTestDriver(server, { ...parts, confinement, openSecret: async () => secret });
const signal = AbortSignal.timeout(60_000);
if (step.name === 'start') {
  await driver.start(step.request, signal);
  die();
} else
  await driver.build({
    ...step.request,
    signal,
    onLine: ({ line }) => (line.includes(step.until) ? die() : undefined),
  });
