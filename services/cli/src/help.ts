import type { CommandEntry } from './command.ts';

/** Builds the lines of the help text. */
export function describeCommands(commands: readonly CommandEntry[]): readonly string[] {
  const usages = commands.flatMap(({ usage }) => usage);
  const width = Math.max(...usages.map((usage) => usage.length));
  const lines = commands.flatMap(({ usage, summary }) =>
    usage.map((line, index) => (index === 0 ? `  ${line.padEnd(width)}  ${summary}` : `  ${line}`)),
  );
  return [
    'npm run signalbox -- <command>',
    '',
    ...lines,
    '',
    'Every command takes --json and --help. --version says which release runs.',
    'The exit code is 0, 1 when something failed or was found, or 2 for wrong use.',
  ];
}

/** Builds the lines of the help text of one command. */
export function describeCommand({ usage, summary }: CommandEntry): readonly string[] {
  return [summary, '', ...usage.map((line) => `  npm run signalbox -- ${line}`), '', 'It takes --json and --help.'];
}

/** Words that may follow a command: its verbs, and its options with their dashes. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly string[];
  readonly options: readonly string[];
}

const ALL_OPTIONS = ['--json', '--help'];

/** Lists what a shell can complete, as the usage lines name it. */
export function listCommandWords(commands: readonly CommandEntry[]): readonly CommandWords[] {
  return commands.map(({ usage, summary }) => {
    const lines = usage.map((line) => line.split(/[ |]+/));
    const verbs = lines.flatMap(([, ...rest]) => rest.slice(0, countVerbs(rest)));
    const options = usage.flatMap((line) => line.match(/--[a-z-]+/g) ?? []);
    return {
      name: lines[0]?.[0] ?? '',
      summary,
      verbs: [...new Set(verbs)],
      options: [...new Set([...options, ...ALL_OPTIONS])],
    };
  });
}

function countVerbs(words: readonly string[]): number {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return end < 0 ? words.length : end;
}
