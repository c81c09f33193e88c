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
/** The whole machine, or what it cannot live without. */
const ROOTS = /^\/+(\.\/*)*(bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var)?\/*\*?$/;
const DISKS = /^\/+dev\/(sd|hd|vd|xvd|nvme|mmcblk|md|dm-|mapper\/|disk\/|mem|kmem)/;

/** Why nobody could want this command, in one sentence; null when somebody could. */
export function findRefusal({ vectors, pipelines, nestings, bombs, targets }: ShellStructure): string | null {
  if (bombs.length > 0) return 'It is a fork bomb: it fills the machine with processes.';
  if (targets.some((target) => DISKS.test(target))) return 'It overwrites a disk.';
  if (pipelines.some(pipesDownload) || nestings.some(nestsDownload))
    return 'It runs whatever a server sends, which nobody can look at beforehand; download it first, then look.';
  for (const vector of vectors)
    for (const [name = '', ...args] of unwrap(vector)) {
      const refusal = refuse(baseName(name), args);
      if (refusal !== null) return refusal;
    }
  return null;
}

/** What `sh -c` and `eval` are given to run. */
export function listScripts(vector: readonly string[]): readonly string[] {
  return unwrap(vector).flatMap(([name = '', ...args]) => readScript(name, args));
}

/** The last part of a path. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function readScript(name: string, args: readonly string[]): readonly string[] {
  if (baseName(name) === 'eval') return [args.join(' ')];
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = args[at + 1];
  return at !== -1 && script !== undefined && SHELLS.test(baseName(name)) ? [script] : [];
}

function refuse(name: string, args: readonly string[]): string | null {
  const recursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--r/.test(arg));
  const root = args.some((arg) => ROOTS.test(arg)) || args.includes('--no-preserve-root');
  if (name === 'rm' && recursive && root) return 'It deletes the whole machine or a part that it needs to live.';
  if (/^(chmod|chown|chgrp)$/.test(name) && recursive && root)
    return 'It changes the permissions of the whole machine.';
  if (name === 'find' && args.includes('-delete') && ROOTS.test(args[0] ?? ''))
    return 'It deletes the whole machine or a part that it needs to live.';
  if (/^mkfs(\.|$)|^mke2fs$/.test(name)) return 'It formats a disk.';
  if (/^(wipefs|shred|mkswap|tee|cp|mv|blkdiscard)$/.test(name) && args.some((arg) => DISKS.test(arg)))
    return 'It overwrites a disk.';
  if (name === 'dd' && args.some((arg) => arg.startsWith('of=') && DISKS.test(arg.slice(3))))
    return 'It overwrites a disk.';
  if (name === 'kill' && args.length > 1 && args.at(-1) === '-1') return 'It ends every process of the machine.';
  return null;
}

/** A download that is piped into a shell, or into an interpreter that was given no script of its own. */
function pipesDownload(commands: readonly (readonly string[])[]): boolean {
  const from = commands.findIndex((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(baseName(name))));
  return (
    from !== -1 &&
    commands.slice(from + 1).some((vector) =>
      unwrap(vector).some(([name = '', ...args]) => {
        const program = baseName(name);
        return SHELLS.test(program) || (INTERPRETERS.test(program) && args.every((arg) => arg === '-'));
      }),
    )
  );
}

/** A shell whose words hold a download, as in `sh -c "$(curl …)"` and `bash <(curl …)`. */
function nestsDownload([outer = [], ...inner]: readonly (readonly string[])[]): boolean {
  const shell = unwrap(outer).some(([name = '']) => SHELLS.test(baseName(name)) || READERS.test(name));
  return shell && inner.some((vector) => unwrap(vector).some(([name = '']) => FETCHERS.test(baseName(name))));
}

/** The command as it stands, and when it starts with a wrapper, every command that could be meant by the words behind. */
function unwrap(vector: readonly string[]): readonly (readonly string[])[] {
  if (!WRAPPERS.test(baseName(vector[0] ?? ''))) return [vector];
  return vector.slice(0, MAX_UNWRAPPED).map((_, index) => vector.slice(index));
}
