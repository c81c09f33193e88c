/** What a Procfile says. */
export interface Procfile {
  readonly web: string | null;
  /** Runs once per release, before it serves. */
  readonly release: string | null;
  /** Names of the other lines. */
  readonly others: readonly string[];
}

const LINE = /^([\w-]{1,60}):[ \t]*(\S.*)$/;
/** Words that a shell runs itself, so that `exec` cannot. */
const OF_SHELL = new Set(
  '. : [ alias cd eval exec export for if set source test trap ulimit umask unset while {'.split(' '),
);

/** Reads a Procfile. Pure. */
export function readProcfile(text: string | null): Procfile {
  const lines = (text ?? '').split(/[\r\n]+/).flatMap((line) => {
    const [, name = '', command = ''] = LINE.exec(line) ?? [];
    return name === '' ? [] : [{ name, command: command.trim() }];
  });
  const find = (wanted: string): string | null => lines.find(({ name }) => name === wanted)?.command ?? null;
  const others = lines.map(({ name }) => name).filter((name) => name !== 'web' && name !== 'release');
  return { web: find('web'), release: find('release'), others };
}

/** The program that a shell line starts, when it is a path in the commit: `bin/web` of `PORT=1 ./bin/web -v`. Pure. */
export function findOwnProgram(line: string): string | null {
  const word = findProgram(line);
  const path = /^(?:\.\/)?(\w[\w.-]*(?:\/[\w.-]+)*)$/.exec(word)?.[1] ?? '';
  return word.includes('/') && !path.split('/').includes('..') ? path || null : null;
}

/** The program of a shell line, behind the variables that are set for it. Pure. */
export function findProgram(line: string): string {
  return line.split(/[ \t]+/).find((one) => !/^\w+=/.test(one)) ?? '';
}

/** Adds `exec` to a line of one command, so that signals reach the program and not a shell. Pure. */
export function withExec(line: string): string {
  const [first = ''] = line.split(/[ \t]+/);
  const isOne = !/[;&|<>()`\n]/.test(line) && !/^\w+=/.test(first) && !OF_SHELL.has(first);
  return isOne ? `exec ${line}` : line;
}
