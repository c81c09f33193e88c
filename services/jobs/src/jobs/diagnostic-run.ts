import { lastLines } from '../sandbox/kept-output.ts';
import { findDriverServer } from '@signalbox/store/deploy/service-health';
import { AppError } from '@signalbox/contracts/errors';
import { redactText } from '@signalbox/safety/redact/redact';
import { classifyCommand } from '@signalbox/safety/shell/classification';
import { say } from '@signalbox/messages/say';
import { withDriver, type DiagnoseParts } from '../health/target.ts';
import type { HandlerOf } from '../runner/handlers.ts';
import { executeBounded } from '../machine/bounded-run.ts';
import { readRelease, type ReleaseParts } from '../machine/read-release.ts';

/** Stored bytes of each output. */
const KEPT_BYTES = 30_000;

/**
 * Runs a command on a server. Listed reading programs run without a shell, joined by pipes and bounded; any other command arrives only with
 * a person's approval of its exact text; forbidden ones never run.
 */
export function createDiagnosticRun(
  parts: Pick<DiagnoseParts, 'pool' | 'openDriver'> & ReleaseParts,
): HandlerOf<'diagnostic.run'> {
  return {
    title: () => say('jobs.runningADiagnosticCommand'),
    run: async ({ server, command, onlyReads, service }, context) => {
      if (service) return readRelease(parts, { server, command, service }, context);
      const { decision, pipeline, reason } = classifyCommand(command, 'server');
      // Checked again: a worker of another release may have classified it differently.
      if (decision === 'deny' || (pipeline === null && onlyReads)) throw new AppError('COMMAND_REFUSED', { reason });
      const target = await findDriverServer(parts.pool, server);
      const startedAt = performance.now();
      const options = { signal: context.signal, maxBytes: KEPT_BYTES };
      const { code, stdout, stderr, truncated } = await withDriver(parts, target, context, (driver) =>
        pipeline ? executeBounded(driver, pipeline, options) : driver.execute(['sh', '-c', command], options),
      );
      const seconds = Math.round(performance.now() - startedAt) / 1_000;
      return { server, code, stdout: redactText(stdout), stderr: redactText(stderr), truncated, seconds };
    },
    say: ({ server, code, stdout, stderr }) =>
      `${say('jobs.diagnosticEnded', { server, isKilled: code === null, code: code ?? '' })}\n${lastLines(stdout || stderr)}`,
  };
}
