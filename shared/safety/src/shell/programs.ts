import {
  parseArguments,
  quote,
  checkArguments,
  type ArgumentReader,
  type ParsedArguments,
  type ProgramRule,
  type ProgramTable,
} from './program-rule.ts';
import { FILE_PROGRAMS } from './programs/files.ts';
import { createFindReader, type ProgramList } from './programs/find.ts';
import { GIT_PROGRAMS } from './programs/git.ts';
import { SYSTEM_PROGRAMS } from './programs/system.ts';
import { TEXT_PROGRAMS } from './programs/text.ts';

/** All programs that may run without asking a person. */
export const PROGRAMS: ProgramTable = {
  ...FILE_PROGRAMS,
  ...TEXT_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  ...GIT_PROGRAMS,
  find: createFindReader({ harden: (vector) => hardenArgv(vector), parse: (vector) => parseVector(vector) }),
  // hardenPipeline checks xargs after find: see xargs.ts.
  xargs: () => ({ reason: 'xargs runs another command.' }),
};

/** The program list, for programs that start other programs. */
export const PROGRAM_LIST: ProgramList = { harden: hardenArgv, parse: parseVector };

/** Reasons why well-known programs are not on the list, for messages only: unknown programs need a person as well. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /^(docker|podman|kubectl|helm|psql|mysql|mongosh|redis-cli|pg_isready|aws|gcloud|az|vault)$/,
    'speaks to another system.',
  ],
  [
    /^(curl|wget|dig|host|nslookup|getent|ping|traceroute|whois|nc|telnet|ssh|scp|rsync|ftp)$/,
    'reaches out over the network.',
  ],
  [/^(env|printenv|set|export|declare)$/, 'shows the environment, which may hold secrets.'],
  [
    /^((ba|da|z|k)?sh|python3?|perl|ruby|node|php|awk|gawk|mawk|make|npm|npx|pip3?|go|cargo|gradle|mvn)$/,
    'runs programs of its own.',
  ],
  [
    /^(sudo|doas|su|nohup|nice|timeout|time|xargs|watch|strace|busybox|exec|eval|command|builtin)$/,
    'runs another command.',
  ],
  [/^(less|more|man|vim?|nano|ed|emacs)$/, 'waits for somebody at a keyboard and can start other programs.'],
  [/^(rm|rmdir|mv|cp|ln|touch|mkdir|chmod|chown|tee|dd|truncate|shred|install|tar|unzip|gzip|sed)$/, 'changes files.'],
  [/^(kill|killall|pkill|reboot|shutdown|halt|poweroff|service|mount|umount|swapoff)$/, 'changes the running system.'],
];

/** Adds safety flags to a program's arguments and returns the argument list to execute, or the reason to ask. */
export function hardenArgv(vector: readonly string[]): ReturnType<ArgumentReader> {
  const [name = '', ...args] = vector;
  const rule = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (!rule) return { reason: describeAbsence(name) };
  const read = typeof rule === 'function' ? rule(args) : checkArguments(name, rule, args);
  return 'reason' in read ? read : { argv: [name, ...read.argv] };
}

/** Lists the paths that a listed program would open; null when unknown. */
export function listPaths(vector: readonly string[]): readonly string[] | null {
  const rule = findRule(vector);
  const parsed = parseVector(vector);
  return rule === null || parsed === null ? null : (rule.paths?.(parsed) ?? parsed.operands);
}

function parseVector(vector: readonly string[]): ParsedArguments | null {
  const [name = '', ...args] = vector;
  const rule = findRule(vector);
  const parsed = rule === null ? null : parseArguments(name, rule.flags ?? '', args, rule.separate);
  return parsed === null || 'reason' in parsed ? null : parsed;
}

function findRule([name = '']: readonly string[]): ProgramRule | null {
  const rule = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return !rule || typeof rule === 'function' ? null : rule;
}

function describeAbsence(name: string): string {
  const [, why] = REASONS.find(([names]) => names.test(name)) ?? [];
  if (why !== undefined) return `${name} ${why}`;
  if (name.includes('/')) return `${quote(name)} is a path; only programs that are installed run by their name.`;
  return `${quote(name)} is not on the list of programs that only read.`;
}
