import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter } from './system-call-filter.ts';
import { CHECKED_CALLS, getCallNumber, REFUSED_CALLS, type Architecture } from './system-calls.ts';

interface Call {
  readonly table: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

const TABLES: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const I386 = 0x40000003;
const HIGHER_HALF = 0xdead_beef;

/** What the kernel would make of a call, by its own rules for classic BPF; throws on a program that it would not take. */
function judge(filter: Buffer, call: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.table, 4);
  for (const [place, value] of (call.arguments ?? []).entries()) {
    data.writeUInt32LE(value >>> 0, 16 + 8 * place);
    data.writeUInt32LE(HIGHER_HALF, 20 + 8 * place); // of these arguments the kernel reads only the lower half
  }
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, operand] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    const jump = (isTrue: boolean): void => void (at += 8 * filter.readUInt8(isTrue ? at + 2 : at + 3));
    if (code === 0x06) return action(operand);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x15) jump(accumulator === operand);
    else if (code === 0x35) jump(accumulator >= operand);
    else if (code === 0x45) jump((accumulator & operand) !== 0);
    else throw new Error(`the instruction ${code} is unknown`);
  }
  throw new Error('the program leads past its end');
}

function action(value: number): string {
  const names: Record<number, string> = {
    0x7fff0000: 'allow',
    0x80000000: 'kill',
    0x00050001: 'EPERM',
    0x00050026: 'ENOSYS',
    0x00050061: 'EAFNOSUPPORT',
  };
  return names[value] ?? `unknown ${value}`;
}

describe.each(['x64', 'arm64'] as const)('the system call filter on %s', (architecture) => {
  const filter = compileFilter(architecture) ?? Buffer.alloc(0);
  const ask = (number: number | null, ...rest: readonly number[]): string =>
    number === null ? 'none' : judge(filter, { table: TABLES[architecture], number, arguments: rest });
  const checked = (name: keyof typeof CHECKED_CALLS, ...rest: readonly number[]): string =>
    ask(getCallNumber(CHECKED_CALLS[name], architecture), ...rest);

  it('is a BPF program that the kernel accepts', () => {
    expect(filter.length % 8).toBe(0);
    expect(filter.length / 8).toBeLessThanOrEqual(4096);
  });

  it('allows or refuses every possible system call', () => {
    const word = fc.nat(0xffff_ffff);
    const number = fc.oneof(fc.nat(500), word);
    fc.assert(
      fc.property(number, fc.array(word, { maxLength: 6 }), (one, rest) => {
        expect(ask(one, ...rest)).toMatch(/^(allow|EPERM|ENOSYS|EAFNOSUPPORT)$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses the system calls that a command does not need, and no others', () => {
    const refused = Object.values(REFUSED_CALLS).map((numbers) => getCallNumber(numbers, architecture));
    for (const number of refused) expect(['none', 'EPERM']).toContain(ask(number));
    const looked = Object.values(CHECKED_CALLS).map((numbers) => getCallNumber(numbers, architecture));
    const others = Array.from({ length: 463 }, (_, number) => number).filter((number) => !looked.includes(number));
    for (const number of others)
      expect(`${number} ${ask(number)}`).toBe(`${number} ${refused.includes(number) ? 'EPERM' : 'allow'}`);
  });

  it('kills a program that uses the system call numbers of another processor', () => {
    for (const table of [I386, TABLES[architecture === 'x64' ? 'arm64' : 'x64'], 0])
      expect(judge(filter, { table, number: 39 })).toBe('kill');
  });

  it('refuses x32 system calls, and system calls newer than its list', () => {
    for (const number of [0, 39, 101, 520]) expect(ask(0x4000_0000 + number)).toBe('EPERM');
    for (const number of [463, 467, 512, 547, 9_999]) expect(ask(number)).toBe('ENOSYS');
  });

  it('permits new processes and threads, but no new namespaces', () => {
    expect(checked('clone', 17)).toBe('allow');
    expect(checked('clone', 0x003d_0f00)).toBe('allow');
    expect(checked('clone', 0x0000_4111)).toBe('allow');
    for (const flag of [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      expect(checked('clone', flag | 17)).toBe('EPERM');
    expect(checked('clone3', 0, 88)).toBe('ENOSYS');
  });

  it('refuses to insert input into a terminal', () => {
    expect(checked('ioctl', 0, 0x5412)).toBe('EPERM');
    expect(checked('ioctl', 0, 0x541c)).toBe('EPERM');
    expect(checked('ioctl', 0, 0x5401)).toBe('allow');
  });

  it('refuses to weaken memory protection', () => {
    for (const harmless of [0, 0x8, 0x20000, 0x20008, 0xffffffff])
      expect(checked('personality', harmless)).toBe('allow');
    for (const weaker of [0x0040000, 0x0100000, 0x0400000, 0x4000000])
      expect(checked('personality', weaker)).toBe('EPERM');
  });

  it('permits ordinary sockets, and refuses kinds of sockets that bypass the network namespace', () => {
    for (const family of [1, 2, 10, 16]) expect(checked('socket', family, 1)).toBe('allow');
    for (const family of [17, 31, 38, 40, 44]) expect(checked('socket', family, 1)).toBe('EAFNOSUPPORT');
  });

  it('refuses to create files with the setuid or setgid bit', () => {
    for (const mode of [0o4755, 0o2755, 0o6000]) {
      for (const [name, ...before] of [
        ['chmod', 0],
        ['fchmod', 3],
        ['fchmodat', 3, 0],
        ['mknod', 0],
        ['mknodat', 3, 0],
        ['creat', 0],
      ] as const)
        expect(['none', 'EPERM']).toContain(checked(name, ...before, mode));
      for (const flags of [0x41, 0x241, 0x41_0001]) {
        expect(['none', 'EPERM']).toContain(checked('open', 0, flags, mode));
        expect(checked('openat', 3, 0, flags, mode)).toBe('EPERM');
      }
      expect(checked('openat', 3, 0, 0x80000, mode)).toBe('allow');
    }
    expect(checked('fchmodat', 3, 0, 0o1777)).toBe('allow');
    expect(checked('openat', 3, 0, 0x241, 0o644)).toBe('allow');
    expect(checked('openat2', 3, 0, 0, 24)).toBe('ENOSYS');
    expect(checked('fchmodat2', 3, 0, 0o4755, 0)).toBe('ENOSYS');
  });
});

it('no system call filter is built for a processor whose system call numbers are unknown', () => {
  for (const architecture of ['ia32', 'arm', 's390x', 'riscv64', 'toString'])
    expect(compileFilter(architecture)).toBeNull();
});

const HEADERS: Record<Architecture, string> = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
};
const LATER = ['fchmodat2'];

describe.each(['x64', 'arm64'] as const)('the system call numbers for %s', (architecture) => {
  it.skipIf(!existsSync(HEADERS[architecture]))("equal those in the kernel's header file", () => {
    const header = readFileSync(HEADERS[architecture], 'utf8');
    const known = new Map(
      [...header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(([, name, number]) => [name, Number(number)]),
    );
    expect(known.size).toBeGreaterThan(250);
    const ours = Object.entries({ ...REFUSED_CALLS, ...CHECKED_CALLS }).filter(([name]) => !LATER.includes(name));
    for (const [name, numbers] of ours)
      expect([name, getCallNumber(numbers, architecture)]).toEqual([name, known.get(name) ?? null]);
  });
});
