import type { ShellStructure } from './structure.ts';

/** Shells, and interpreters that run what is piped into them. */
const SHELLS = /^(ba|da|z|k|fi|a)?sh$/;
const INTERPRETERS = /^(python[0-9.]*|perl|ruby|node|php)$/;
const READERS = /^(eval|source|\.)$/;
const FETCHERS = /^(curl|wget|fetch|aria2c)$/;
/** Words in front of the command that is really meant. */
const WRAPPERS =
  /^(sudo|doas|su|env|nohup|nice|ionice|time|timeout|command|builtin|exec|setsid|stdbuf|busybox|toybox|xargs|watch)$/;
/** Words after a wrapper that are tried as a command: its own flags and values stand in front. */
const MAX_UNWRAPPED = 20;
/** The whole machine, or what it cannot live without. Not what lies in /home, /opt and /srv: that belongs to people. */
const ROOTS = /^\/+(\.\/*)*(bin|boot|dev|etc|lib|lib64|proc|root|sbin|sys|usr|var)?\/*\*?$/;
/** What `dd` takes for nothing: a disk that is overwritten with it is lost, while a restore has something to read. */
const NOISE = /^if=\/+dev\/(zero|full|null|u?random)$/;
/** Words of find that choose next to nothing: with these alone it deletes all that it meets. */
const CHOOSES_ALL = /^-(delete|P|H|L|depth|d|xdev|mount|mindepth|type|true|print0?|ls|\d+)$|^(\d+|[a-z])$/;
const DISKS = /^\/+dev\/(sd|hd|vd|xvd|nvme|mmcblk|md|dm-|mapper\/|disk\/|mem|kmem)/;

/** Why this command can only do harm, in one sentence; null when a person could want it. */
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

/** What `sh -c` and `eval` are given to run. */
export function listScripts(vector: readonly string[]): readonly string[] {
  return unwrap(vector).flatMap(([name = '', ...args]) => readScript(name, args));
}

/** The last part of a path. */
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

/** Forms of a destructive program that only say what they would do. */
function isDryRun(name: string, args: readonly string[]): boolean {
  if (/^mkfs(\.ext[234])?$|^mke2fs$/.test(name)) return args.includes('-n');
  if (name === 'kill') return /^(-0|-s0)$/.test(args[0] ?? '') || (args[0] === '-s' && args[1] === '0');
  // Without -a and -o it lists what it finds.
  return (
    name === 'wipefs' &&
    (args.some((arg) => /^(-n|--no-act)$/.test(arg)) || !args.some((arg) => /^-[a-z]*[ao]|^--(a|o)/.test(arg)))
  );
}

/** A download that is piped into a shell, or into an interpreter that was given no script of its own. */
function pipesDownload(commands: readonly (readonly string[])[]): boolean {
  const from = commands.findIndex((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(getBaseName(name))));
  return (
    from !== -1 &&
    commands.slice(from + 1).some((vector) =>
      unwrap(vector).some(([name = '', ...args]) => {
        const program = getBaseName(name);
        if (SHELLS.test(program)) return !args.includes('-n'); // it only looks for mistakes of grammar
        return INTERPRETERS.test(program) && args.every((arg) => arg === '-');
      }),
    )
  );
}

/** A shell whose words hold a download, as in `sh -c "$(curl …)"` and `bash <(curl …)`. */
function nestsDownload([outer = [], ...inner]: readonly (readonly string[])[]): boolean {
  const shell = unwrap(outer).some(([name = '']) => SHELLS.test(getBaseName(name)) || READERS.test(name));
  return shell && inner.some((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(getBaseName(name))));
}

/** The command as it stands, and when it starts with a wrapper, every command that could be meant by the words behind. */
function unwrap(vector: readonly string[]): readonly (readonly string[])[] {
  if (!WRAPPERS.test(getBaseName(vector[0] ?? ''))) return [vector];
  // What is printed is not run: `xargs echo rm -rf` says what it would do.
  const printed = vector.findIndex((word) => /^(echo|printf)$/.test(getBaseName(word)));
  const end = printed === -1 ? MAX_UNWRAPPED : Math.min(printed, MAX_UNWRAPPED);
  return vector.slice(0, end).map((_, index) => vector.slice(index));
}
