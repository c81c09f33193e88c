import type { ShellStructure } from './structure.ts';

/** Matches the names of shells, which run what is piped into them. */
const SHELLS = /^(ba|da|z|k|fi|a)?sh$/;
const INTERPRETERS = /^(python[0-9.]*|perl|ruby|node|php)$/;
const READERS = /^(eval|source|\.)$/;
const FETCHERS = /^(curl|wget|fetch|aria2c)$/;
/** Programs that run the command after them. */
const WRAPPERS =
  /^(sudo|doas|su|env|nohup|nice|ionice|time|timeout|command|builtin|exec|setsid|stdbuf|busybox|toybox|xargs|watch)$/;
/** The number of words after a program such as sudo that are tried as the command, because flags come first. */
const MAX_UNWRAPPED = 20;
/** Matches the root folder and folders that the machine needs; not /home, /opt and /srv, which belong to people. */
const ROOTS = /^\/+(\.\/*)*(bin|boot|dev|etc|lib|lib64|proc|root|sbin|sys|usr|var)?\/*\*?$/;
/** Matches inputs of `dd` that only destroy a disk; a restore reads a file. */
const NOISE = /^if=\/+dev\/(zero|full|null|u?random)$/;
/** Words of find that filter almost nothing: with these words alone `-delete` deletes everything. */
const CHOOSES_ALL = /^-(delete|P|H|L|depth|d|xdev|mount|mindepth|type|true|print0?|ls|\d+)$|^(\d+|[a-z])$/;
const DISKS = /^\/+dev\/(sd|hd|vd|xvd|nvme|mmcblk|md|dm-|mapper\/|disk\/|mem|kmem)/;

/** Explains why a command can only do harm; null when a person could want the command. */
export function findRefusal({ vectors, pipelines, nestings, bombs, targets }: ShellStructure): string | null {
  if (bombs.length > 0) return 'It is a fork bomb: it fills the machine with processes.';
  if (targets.some((target) => DISKS.test(target))) return 'It overwrites a disk.';
  if (pipelines.some(pipesDownload) || nestings.some(nestsDownload))
    return 'It runs whatever a server sends, which nobody can look at beforehand; download it first, then look.';
  for (const vector of vectors)
    for (const [name = '', ...args] of unwrap(vector)) {
      const refusal = refuse(getBaseName(name), args);
      if (refusal !== null) return refusal;
    }
  return null;
}

/** Lists the scripts given to `sh -c` and `eval`. */
export function listScripts(vector: readonly string[]): readonly string[] {
  return unwrap(vector).flatMap(([name = '', ...args]) => readScript(name, args));
}

/** Returns the last part of a path. */
export function getBaseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function readScript(name: string, args: readonly string[]): readonly string[] {
  if (getBaseName(name) === 'eval') return [args.join(' ')];
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = args[at + 1];
  return at !== -1 && script !== undefined && SHELLS.test(getBaseName(name)) ? [script] : [];
}

function refuse(name: string, args: readonly string[]): string | null {
  const recursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--r/.test(arg));
  const root = args.some((arg) => ROOTS.test(arg));
  if (name === 'rm' && recursive && root) return 'It deletes the whole machine, or a part that it cannot run without.';
  if (/^(chmod|chown|chgrp)$/.test(name) && recursive && root)
    return 'It changes the permissions of the whole machine.';
  if (
    name === 'find' &&
    root &&
    args.includes('-delete') &&
    args.every((arg) => ROOTS.test(arg) || CHOOSES_ALL.test(arg))
  )
    return 'It deletes the whole machine, or a part that it cannot run without.';
  if (isDryRun(name, args)) return null;
  if (/^mkfs(\.|$)|^mke2fs$/.test(name)) return 'It formats a disk.';
  if (/^(wipefs|shred|mkswap|tee|cp|mv|blkdiscard)$/.test(name) && args.some((arg) => DISKS.test(arg)))
    return 'It overwrites a disk.';
  if (
    name === 'dd' &&
    args.some((arg) => NOISE.test(arg)) &&
    args.some((arg) => arg.startsWith('of=') && DISKS.test(arg.slice(3)))
  )
    return 'It overwrites a disk.';
  if (name === 'kill' && args.length > 1 && args.at(-1) === '-1') return 'It ends every process of the machine.';
  return null;
}

/** True for dry runs of destructive programs. */
function isDryRun(name: string, args: readonly string[]): boolean {
  if (/^mkfs(\.ext[234])?$|^mke2fs$/.test(name)) return args.includes('-n');
  if (name === 'kill') return /^(-0|-s0)$/.test(args[0] ?? '') || (args[0] === '-s' && args[1] === '0');
  // Without -a and -o, wipefs only lists.
  return (
    name === 'wipefs' &&
    (args.some((arg) => /^(-n|--no-act)$/.test(arg)) || !args.some((arg) => /^-[a-z]*[ao]|^--(a|o)/.test(arg)))
  );
}

/** True when a download is piped into a shell, or into an interpreter without a script. */
function pipesDownload(commands: readonly (readonly string[])[]): boolean {
  const from = commands.findIndex((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(getBaseName(name))));
  return (
    from !== -1 &&
    commands.slice(from + 1).some((vector) =>
      unwrap(vector).some(([name = '', ...args]) => {
        const program = getBaseName(name);
        if (SHELLS.test(program)) return !args.includes('-n'); // with -n a shell only checks the syntax
        return INTERPRETERS.test(program) && args.every((arg) => arg === '-');
      }),
    )
  );
}

/** True when a shell's arguments contain a download: `sh -c "$(curl …)"`, `bash <(curl …)`. */
function nestsDownload([outer = [], ...inner]: readonly (readonly string[])[]): boolean {
  const shell = unwrap(outer).some(([name = '']) => SHELLS.test(getBaseName(name)) || READERS.test(name));
  return shell && inner.some((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(getBaseName(name))));
}

/** Lists the command itself, and for a program that runs another command, every command that its words could mean. */
function unwrap(vector: readonly string[]): readonly (readonly string[])[] {
  if (!WRAPPERS.test(getBaseName(vector[0] ?? ''))) return [vector];
  // The words of echo and printf are not run: `xargs echo rm -rf`.
  const printed = vector.findIndex((word) => /^(echo|printf)$/.test(getBaseName(word)));
  const end = printed === -1 ? MAX_UNWRAPPED : Math.min(printed, MAX_UNWRAPPED);
  return vector.slice(0, end).map((_, index) => vector.slice(index));
}
