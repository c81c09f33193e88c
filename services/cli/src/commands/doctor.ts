import { checkDatabase } from '../checks/database.ts';
import { checkFaults } from '../checks/faults.ts';
import { checkModel } from '../checks/model.ts';
import { checkNode } from '../checks/node.ts';
import { checkRedis } from '../checks/redis.ts';
import { checkServices } from '../checks/running-services.ts';
import { checkSearch } from '../checks/search.ts';
import { checkConfinement, checkSandbox } from '../checks/sandbox.ts';
import { checkTelegram } from '../checks/telegram.ts';
import { tryRoundTrip } from '../checks/round-trip.ts';
import type { CheckResult } from '../checks/finding.ts';
import type { CommandContext, CommandResult } from '../command.ts';

const MARKS = { ok: '✓ ok  ', warn: '! warn', fail: '✗ fail' } as const;

/** Runs all checks, even after a failure. Only `fail` makes the exit code 1; warnings are for the owner to judge. */
export async function runDoctor(context: CommandContext): Promise<CommandResult> {
  const checks = [
    checkNode,
    checkDatabase,
    checkRedis,
    checkServices,
    checkFaults,
    checkSearch,
    checkSandbox,
    checkConfinement,
    checkTelegram,
    checkModel,
  ];
  const findings = (await Promise.all(checks.map((check) => check(context)))).flat();
  if (context.arguments['round-trip'] || context.arguments.as !== undefined)
    findings.push(...(await tryRoundTrip(context)));
  const ok = findings.every(({ state }) => state !== 'fail');
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap((finding) => describeFinding(finding, width));
  return { ok, data: { ok, findings }, lines };
}

function describeFinding({ state, what, say, remedy }: CheckResult, width: number): readonly string[] {
  const line = `${MARKS[state]}  ${what.padEnd(width)}  ${say}`;
  return remedy === null ? [line] : [line, `${' '.repeat(MARKS[state].length + width + 4)}→ ${remedy}`];
}
