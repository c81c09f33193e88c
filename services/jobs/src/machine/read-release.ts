import { formatServiceName, type ServiceKey } from '@signalbox/contracts/operations/deploy';
import type { JobResult } from '@signalbox/contracts/operations/jobs';
import { AppError } from '@signalbox/contracts/errors';
import { redactText } from '@signalbox/safety/redact/redact';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { MINUTE_MS } from '@signalbox/contracts/time';
import { say } from '@signalbox/messages/say';
import { findServingDeployment, withDriver, type DiagnoseDeps } from '../health/target.ts';
import type { JobContext } from '../runner/handlers.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export type ReleaseDeps = Pick<DiagnoseDeps, 'openDriver' | 'services' | 'work'> & {
  readonly sandbox: () => Promise<Sandbox>;
};

/** Maximum of stored output characters. */
const MAX_CHARACTERS = 30_000;

/**
 * Reads files of a service's release with reading programs. They run in the sandbox, which contains only the release, so links cannot
 * lead outside. Throws COMMAND_REFUSED, RELEASE_UNREADABLE, NOT_FOUND, SANDBOX_MISSING.
 */
export async function readRelease(
  parts: ReleaseDeps,
  { server, command, service }: { readonly server: string; readonly command: string; readonly service: ServiceKey },
  context: JobContext,
): Promise<JobResult<'diagnostic.run'>> {
  const { pipeline, reason } = classifyCommand(command, 'workspace');
  if (pipeline === null) throw new AppError('COMMAND_REFUSED', { reason });
  const { serving } = await findServingDeployment(parts, service);
  if (serving?.server !== server)
    throw new AppError('RELEASE_UNREADABLE', {
      problem: say('diagnose.releaseElsewhere', { service: formatServiceName(service), server }),
    });
  const { artifact } = serving;
  const workspace = await withDriver(parts, serving, context, async (driver) =>
    artifact === null ? null : (driver.releaseFolder?.(artifact) ?? null),
  );
  if (workspace === null)
    throw new AppError('RELEASE_UNREADABLE', {
      problem: say('diagnose.releaseNoFolder', { service: formatServiceName(service), server }),
    });
  const sandbox = await parts.sandbox();
  const { exitCode, killed, output, cut, durationMs } = await sandbox.runArgv(pipeline, {
    workspace,
    hasRepository: false,
    writable: [],
    cwd: '.',
    deadlineMs: MINUTE_MS / 2,
    signal: context.signal,
  });
  return {
    server,
    code: killed === null ? exitCode : null,
    stdout: redactText(output.slice(0, MAX_CHARACTERS)),
    stderr: killed === null ? '' : `${say('diagnose.commandEndedForBounds', { what: killed })}\n`,
    truncated: cut || output.length > MAX_CHARACTERS,
    seconds: durationMs / 1_000,
  };
}
