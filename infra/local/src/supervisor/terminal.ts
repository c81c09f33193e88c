import { openStandardOutput } from '@signalbox/platform/standard-output';

/** Values that the terminal shows when everything is ready. */
export interface ReadySummary {
  readonly seconds: number;
  readonly simulatorUrl: string | null;
  /** URL of the gateway's page; null without the web channel. */
  readonly pageUrl: string | null;
  readonly model: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly logsDir: string;
  readonly probeUrl: string;
}

/** Prints one line of progress. Never blocks, also when the terminal is closed. */
export function printProgress(line: string): void {
  printText(`  ${line}\n`);
}

/** Prints text unchanged. Never blocks. */
export function printText(lines: string): void {
  openStandardOutput((count, reason) => `  ${count} lines were not written (${reason})\n`).write(lines);
}

/** Formats the summary of what runs and where. */
export function describeReady(facts: ReadySummary): string {
  const simulated = facts.simulatorUrl !== null;
  const lines = [
    `ready in ${facts.seconds.toFixed(1)} s`,
    simulated ? `  Telegram   ${facts.simulatorUrl}/ (simulated)` : '  Telegram   your bot',
    ...(facts.pageUrl === null ? [] : [`  web page   ${facts.pageUrl}`]),
    simulated
      ? '  terminal   npm run chat -- --as 1001 "hello"'
      : '  terminal   npm run chat needs the simulator: unset TELEGRAM_BOT_TOKEN',
    `  model      ${facts.model}`,
    `  data       Postgres ${new URL(facts.databaseUrl).host}, Redis ${new URL(facts.redisUrl).host}`,
    `  logs       ${facts.logsDir}, health ${facts.probeUrl}; stop with Ctrl-C`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Formats the instruction for becoming the first admin. */
export function describeOwnerCode(code: string): string {
  return `\nNobody is admin yet. Send this owner code to your bot in Telegram, once: ${code}\n`;
}
