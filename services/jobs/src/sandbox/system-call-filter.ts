import { CHECKED_CALLS, getCallNumber, REFUSED_CALLS, type Architecture } from './system-calls.ts';

/** A classic BPF instruction (`linux/filter.h`): code, jump when true, jump when false, operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

/** The instruction that loads a word of the call's data (`struct seccomp_data` in `linux/seccomp.h`). */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const errno = (code: number): number => 0x0005_0000 | code;
const EPERM = errno(1);
const ENOSYS = errno(38);
const EAFNOSUPPORT = errno(97);

/** The call table of each architecture: `AUDIT_ARCH_…` of `linux/audit.h`. */
const TABLES: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** The bit that marks calls in x64's second numbering, x32. */
const X32_BIT = 0x4000_0000;
/** The number of mseal, the newest reviewed call. Later calls are refused like unknown calls. */
const LAST_KNOWN = 462;

/** The namespace flags of `linux/sched.h`, from CLONE_NEWNS to CLONE_NEWNET; only unshare and clone3 accept CLONE_NEWTIME. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** The ioctl that inserts characters into a terminal's input (`asm-generic/ioctls.h`). */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** PER_LINUX and PER_LINUX32, with and without UNAME26, and the query. Other values weaken memory protection. */
const PERSONALITIES = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
/** Unspecified, UNIX, INET, INET6, NETLINK. Other families may leave the namespace: AF_VSOCK reaches the host. */
const SOCKET_FAMILIES = [0, 1, 2, 10, 16];
/** The set-user-id and set-group-id bits: with them other users could run a workspace file as this service's user. */
const SET_ID_BITS = 0o6000;
/** The flags O_CREAT and O_TMPFILE: only with them does `open` use its mode. */
const CREATES = 0x40_0040;

/**
 * Compiles the system call filter of a command in the format of bubblewrap's `--seccomp`; null for an unknown architecture. Refused calls
 * return EPERM; calls that libc can replace return ENOSYS; a call by another architecture's table kills the process, because its numbers
 * have another meaning.
 */
export function compileFilter(architecture: string): Buffer | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null;
  const program = [
    load(ARCHITECTURE_AT),
    ...unless([IF_EQUAL, TABLES[architecture]], KILL),
    load(NUMBER_AT),
    ...when([IF_AT_LEAST, X32_BIT], EPERM),
    ...when([IF_AT_LEAST, LAST_KNOWN + 1], ENOSYS),
    ...Object.values(REFUSED_CALLS).flatMap((numbers) => {
      const number = getCallNumber(numbers, architecture);
      return number === null ? [] : when([IF_EQUAL, number], EPERM);
    }),
    ...checks().flatMap(([name, instructions]) => {
      const number = getCallNumber(CHECKED_CALLS[name], architecture);
      return number === null ? [] : [[IF_EQUAL, 0, instructions.length, number] as const, ...instructions];
    }),
    [RETURN, 0, 0, ALLOW] as const,
  ];
  return encode(program);
}

function checks(): readonly (readonly [keyof typeof CHECKED_CALLS, readonly Instruction[]])[] {
  return [
    ['clone', [argument(0), ...when([IF_ANY_BIT, NAMESPACE_FLAGS], EPERM), verdict(ALLOW)]],
    // The flags of these calls are in memory, which filters cannot read. Libc falls back to clone and openat.
    ['clone3', [verdict(ENOSYS)]],
    ['openat2', [verdict(ENOSYS)]],
    // For fchmodat2, libc falls back to fchmodat.
    ['fchmodat2', [verdict(ENOSYS)]],
    [
      'ioctl',
      [argument(1), ...when([IF_EQUAL, TIOCSTI], EPERM), ...when([IF_EQUAL, TIOCLINUX], EPERM), verdict(ALLOW)],
    ],
    ['personality', [argument(0), ...PERSONALITIES.flatMap((one) => when([IF_EQUAL, one], ALLOW)), verdict(EPERM)]],
    ['socket', [argument(0), ...SOCKET_FAMILIES.flatMap((one) => when([IF_EQUAL, one], ALLOW)), verdict(EAFNOSUPPORT)]],
    ['open', opens(1, 2)],
    ['openat', opens(2, 3)],
    ['creat', sets(1)],
    ['chmod', sets(1)],
    ['fchmod', sets(1)],
    ['fchmodat', sets(2)],
    ['mknod', sets(1)],
    ['mknodat', sets(2)],
  ];
}

function opens(flagsAt: number, modeAt: number): readonly Instruction[] {
  return [argument(flagsAt), ...unless([IF_ANY_BIT, CREATES], ALLOW), ...sets(modeAt)];
}

function sets(modeAt: number): readonly Instruction[] {
  return [argument(modeAt), ...when([IF_ANY_BIT, SET_ID_BITS], EPERM), verdict(ALLOW)];
}

type Test = readonly [code: number, operand: number];

function when([code, operand]: Test, action: number): readonly Instruction[] {
  return [[code, 0, 1, operand], verdict(action)];
}

function unless([code, operand]: Test, action: number): readonly Instruction[] {
  return [[code, 1, 0, operand], verdict(action)];
}

function verdict(action: number): Instruction {
  return [RETURN, 0, 0, action];
}

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

/** Loads the lower half of a call's argument, which both architectures store first. */
function argument(place: number): Instruction {
  return load(ARGUMENTS_AT + 8 * place);
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [place, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    const at = place * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(whenTrue, at + 2);
    bytes.writeUInt8(whenFalse, at + 3);
    bytes.writeUInt32LE(operand >>> 0, at + 4);
  }
  return bytes;
}
