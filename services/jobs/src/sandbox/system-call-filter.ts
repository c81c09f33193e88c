import { CHECKED_CALLS, numberOf, REFUSED_CALLS, type Architecture } from './system-calls.ts';

/** Instructions of classic BPF, eight bytes each (`linux/filter.h`): code, steps when true, steps when false, operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

/** Loads a word of what the kernel tells of a call (`struct seccomp_data` in `linux/seccomp.h`). */
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

/** `AUDIT_ARCH_…` of `linux/audit.h`: which table of numbers a call is meant by. */
const TABLES: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Of x64 there is a second numbering, x32, with this bit set. */
const X32_BIT = 0x4000_0000;
/** mseal, the last call of the kernel's table that was looked at. Later ones are as unknown to us as they were to older kernels. */
const LAST_KNOWN = 462;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of `linux/sched.h`; NEWTIME only unshare and clone3 take. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** Put characters into the keyboard of a terminal (`asm-generic/ioctls.h`). */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** PER_LINUX, PER_LINUX32, both with UNAME26, and the question which it is. Others weaken the protection of memory. */
const PERSONALITIES = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
/** Unspecified, UNIX, INET, INET6, NETLINK. A namespace does not bound all others: AF_VSOCK reaches the host of this machine. */
const SOCKET_FAMILIES = [0, 1, 2, 10, 16];
/** Set-user-id and set-group-id: a file of the workspace belongs to the user of this service, and others of the machine could start it. */
const SET_ID_BITS = 0o6000;
/** O_CREAT and O_TMPFILE: only then has open a mode. */
const CREATES = 0x40_0040;

/**
 * The filter of system calls for a command, compiled as bubblewrap's `--seccomp` takes it; null for a machine whose numbers are not
 * known here. What is refused gets EPERM; what libc knows to do without gets ENOSYS; a call by the table of another machine ends
 * the process, as its numbers mean something else.
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
      const number = numberOf(numbers, architecture);
      return number === null ? [] : when([IF_EQUAL, number], EPERM);
    }),
    ...checks().flatMap(([name, instructions]) => {
      const number = numberOf(CHECKED_CALLS[name], architecture);
      return number === null ? [] : [[IF_EQUAL, 0, instructions.length, number] as const, ...instructions];
    }),
    [RETURN, 0, 0, ALLOW] as const,
  ];
  return encode(program);
}

/** What is looked at for each call, up to a verdict. */
function checks(): readonly (readonly [keyof typeof CHECKED_CALLS, readonly Instruction[]])[] {
  return [
    ['clone', [argument(0), ...when([IF_ANY_BIT, NAMESPACE_FLAGS], EPERM), verdict(ALLOW)]],
    // Their flags lie in memory, which no filter can read. Libc falls back on clone and openat.
    ['clone3', [verdict(ENOSYS)]],
    ['openat2', [verdict(ENOSYS)]],
    // Newer than the filter needs it, and libc falls back on fchmodat.
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

/** The lower half of an argument, which is all that the kernel reads of those above. Both machines put it first. */
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
