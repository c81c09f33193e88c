import { UsageError, type CommandEntry, type RunCommand } from '../command.ts';
import { listCommandWords, type CommandWords } from '../help.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => readonly string[]>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

/** Creates `completion bash|zsh|fish`, which prints a script that completes these commands of `signalbox` in that shell. */
export function createCompletion(commands: readonly CommandEntry[]): RunCommand {
  return ({ arguments: given }) => {
    const [shell = '', ...more] = given.words;
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (write === undefined || more.length > 0) throw new UsageError();
    const lines = write(listCommandWords(commands));
    return Promise.resolve({ ok: true, data: { shell, script: lines.join('\n') }, lines });
  };
}

const join = (words: readonly string[]): string => words.join(' ');

function writeBash(commands: readonly CommandWords[]): readonly string[] {
  return [
    '_signalbox() {',
    '  local words=""',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${join(commands.map(({ name }) => name))}"`,
    '  else case "${COMP_WORDS[1]}" in',
    ...commands.map(({ name, verbs, options }) => `    ${name}) words="${join([...verbs, ...options])}" ;;`),
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _signalbox signalbox',
  ];
}

function writeZsh(commands: readonly CommandWords[]): readonly string[] {
  return [
    '#compdef signalbox',
    '_signalbox() {',
    `  if (( CURRENT == 2 )); then compadd -- ${join(commands.map(({ name }) => name))}; return; fi`,
    '  case "${words[2]}" in',
    ...commands.map(({ name, verbs, options }) => `    ${name}) compadd -- ${join([...verbs, ...options])} ;;`),
    '  esac',
    '}',
    'compdef _signalbox signalbox',
  ];
}

function writeFish(commands: readonly CommandWords[]): readonly string[] {
  return commands.flatMap(({ name, summary, verbs, options }) => {
    const after = `complete -c signalbox -f -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c signalbox -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(verbs.length > 0 ? [`${after} -a '${join(verbs)}'`] : []),
      ...options.map((option) => `${after} -l ${option.slice(2)}`),
    ];
  });
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (char) => `\\${char}`)}'`;
}
