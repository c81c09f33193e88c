import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { Risk } from '../contracts/action.ts';

/** What strikes the eye about a command that does not run unasked. */
export interface Alarm {
  /** Why nobody could want it; null when somebody could. */
  readonly deny: string | null;
  readonly risk: Risk;
  readonly programs: readonly string[];
}

/** Programs whose worst honest outcome cannot be taken back, or that run whatever they are given. */
const DANGEROUS = new Set(
  (
    'rm rmdir shred unlink dd mkfs wipefs fdisk parted mkswap swapoff mount umount losetup truncate mv chmod chown chgrp ' +
    'chattr setfacl kill killall pkill shutdown reboot halt poweroff init telinit systemctl service sysctl modprobe insmod ' +
    'rmmod iptables nft ufw useradd userdel usermod groupdel passwd chpasswd visudo crontab at sudo doas su runuser chroot ' +
    'nsenter unshare docker podman kubectl helm terraform ansible ssh scp rsync nc ncat socat eval exec source . bash sh ' +
    'zsh dash ksh fish busybox toybox xargs parallel python python3 perl ruby node php lua tclsh awk gawk mawk env nohup ' +
    'setsid script strace gdb psql mysql mongosh redis-cli sqlite3 vault aws gcloud az'
  ).split(' '),
);
const SHELLS = /^(ba|da|z|k|fi|a)?sh$/;
const FETCHERS = /^(curl|wget|fetch|lwp-download|aria2c)$/;
/** Words in front of the command that is really meant. */
const WRAPPERS =
  /^(sudo|doas|su|env|nohup|nice|ionice|time|timeout|command|builtin|exec|setsid|stdbuf|busybox|toybox|xargs|watch)$/;
/** The whole machine, or what it cannot live without. */
const ROOTS = /^\/+(\.\/*)*(bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var)?\/*\*?$/;
const DISKS = /^\/+dev\/(sd|hd|vd|xvd|nvme|mmcblk|md|dm-|mapper\/|disk\/|mem|kmem)/;
/** Scripts in scripts are followed this far. */
const MAX_DEPTH = 3;

/**
 * The second alarm behind the allow-list: names the few commands that are refused outright, and tells dangerous ones from the
 * rest for the card. It may miss any of them; the list of what runs unasked does not depend on it.
 */
export function findAlarm(command: string, depth = 0): Alarm {
  const seen = collect(command);
  const programs = [...new Set(seen.vectors.map(([name = '']) => name).filter((name) => name !== ''))];
  const nested = seen.vectors.flatMap(scriptsOf).slice(0, MAX_DEPTH);
  const inner = depth < MAX_DEPTH ? nested.map((script) => findAlarm(script, depth + 1)) : [];
  const deny = findRefusal(command, seen) ?? inner.find((alarm) => alarm.deny !== null)?.deny ?? null;
  const dangerous =
    deny !== null ||
    seen.hidden ||
    inner.length > 0 ||
    programs.some((name) => DANGEROUS.has(baseName(name).replace(/\..*$/, '')));
  return { deny, risk: dangerous ? 'dangerous' : 'sensitive', programs };
}

interface Seen {
  readonly vectors: readonly (readonly string[])[];
  /** Where output is redirected to. */
  readonly targets: readonly string[];
  /** What runs cannot be read: an expansion in place of a name, or a mistake of grammar. */
  readonly hidden: boolean;
}

/** Every simple command anywhere in it, also inside of substitutions. */
function collect(command: string): Seen {
  const vectors: (readonly string[])[] = [];
  const targets: string[] = [];
  let hidden = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Script' && node.errors?.length) hidden = true;
    if (node.type === 'Redirect' && node.target) targets.push(node.target.value);
    if (node.type === 'Command' && node.name) {
      hidden ||= node.name.parts !== undefined;
      vectors.push([node.name.value, ...node.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))]);
    }
    forEachChild(node, visit);
  };
  visit(parse(command));
  return { vectors, targets, hidden };
}

/** What `sh -c` and `eval` are given to run. */
function scriptsOf([name = '', ...args]: readonly string[]): readonly string[] {
  if (baseName(name) === 'eval') return [args.join(' ')];
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = args[at + 1];
  return at !== -1 && script !== undefined && SHELLS.test(baseName(name)) ? [script] : [];
}

function findRefusal(command: string, { vectors, targets }: Seen): string | null {
  if (/([\w:.-]+)\s*\(\s*\)\s*\{[^}]*\1\s*\|\s*\1\s*&/.test(command))
    return 'It is a fork bomb: it fills the machine with processes.';
  if (targets.some((target) => DISKS.test(target))) return 'It overwrites a disk.';
  if (runsDownload(command, vectors))
    return 'It runs whatever a server sends, which nobody can look at beforehand; download it first, then look.';
  for (const vector of vectors)
    for (const [name = '', ...args] of unwrap(vector)) {
      const refusal = refuse(baseName(name), args);
      if (refusal !== null) return refusal;
    }
  return null;
}

function refuse(name: string, args: readonly string[]): string | null {
  const recursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--r/.test(arg));
  const root = args.some((arg) => ROOTS.test(arg)) || args.includes('--no-preserve-root');
  if (name === 'rm' && recursive && root) return 'It deletes the whole machine or a part that it needs to live.';
  if (/^(chmod|chown|chgrp)$/.test(name) && recursive && root)
    return 'It changes the permissions of the whole machine.';
  if (/^mkfs(\.|$)|^mke2fs$/.test(name)) return 'It formats a disk.';
  if (/^(wipefs|shred|mkswap|tee|cp|mv|blkdiscard)$/.test(name) && args.some((arg) => DISKS.test(arg)))
    return 'It overwrites a disk.';
  if (name === 'dd' && args.some((arg) => arg.startsWith('of=') && DISKS.test(arg.slice(3))))
    return 'It overwrites a disk.';
  if (name === 'kill' && args.length > 1 && args.at(-1) === '-1') return 'It ends every process of the machine.';
  return null;
}

function runsDownload(command: string, vectors: readonly (readonly string[])[]): boolean {
  const names = vectors.flatMap((vector) => unwrap(vector).map(([name = '']) => baseName(name)));
  if (!names.some((name) => FETCHERS.test(name))) return false;
  return (
    /\|\s*(sudo\s+|env\s+)*(\S*\/)?((ba|da|z|k)?sh|python3?|perl|ruby|node)(\s|$|;|&|\|)/.test(command) ||
    /(^|[\s;|&/])((ba|da|z|k)?sh|eval|source|\.)\s[^;|]*(\$\(|<\(|`)\s*(curl|wget)\b/.test(command)
  );
}

/** The command as it stands, and when it starts with a wrapper, every command that could be meant by the words behind. */
function unwrap(vector: readonly string[]): readonly (readonly string[])[] {
  if (!WRAPPERS.test(baseName(vector[0] ?? ''))) return [vector];
  return vector.slice(0, 20).map((_, index) => vector.slice(index));
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
