import { openStandardOutput } from '@signalbox/platform/standard-output';

/** What the ready lines tell. */
export interface ReadyFacts {
  readonly seconds: number;
  readonly simulatorUrl: string | null;
  /** The gateway's own page; null when it opens no web channel. */
  readonly pageUrl: string | null;
  readonly model: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly logsDir: string;
  readonly probeUrl: string;
}

/** Writes progress for the person at the terminal. One that went away, stands still or is a full disk is no reason to stop. */
export function report(line: string): void {
  show(`  ${line}\n`);
}

/** Writes lines as they are, likewise. */
export function show(lines: string): void {
  openStandardOutput((count, reason) => `  ${count} lines were not written (${reason})\n`).write(lines);
}

/** The line that begins with `ready` and the lines that say what is up and where to click. */
export function describeReady(facts: ReadyFacts): string {
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

/** How the first admin gets in. */
export function describeOwnerCode(code: string): string {
  return `\nNobody is admin yet. Send this owner code to your bot in Telegram, once: ${code}\n`;
}
