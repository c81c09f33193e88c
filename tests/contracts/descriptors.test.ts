import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('../../shared/platform/src/descriptors.ts', import.meta.url).href;
const LIST = 'console.log(require("fs").readdirSync("/proc/self/fd").filter((fd) => { try { return require("fs").readlinkSync("/proc/self/fd/" + fd).endsWith("descriptors.test.ts") } catch { return false } }).join())'; // prettier-ignore

/** A process that is started with two files open, a low number and a high one, and what a child of it has of them. */
function inheritedByChild(before: string): string {
  const file = openSync(fileURLToPath(import.meta.url), 'r');
  const program = `${before}
    const { spawnSync } = await import('node:child_process');
    process.stdout.write(spawnSync(process.execPath, ['-e', ${JSON.stringify(LIST)}], { encoding: 'utf8' }).stdout);`;
  const stdio = ['ignore', 'pipe', 'inherit', ...Array.from({ length: 60 }, (_, at) => (at === 4 || at === 59 ? file : 'ignore'))] as const; // prettier-ignore
  const words = ['--import', 'tsx', '--input-type=module', '-e', program];
  return spawnSync(process.execPath, words, { stdio: [...stdio], encoding: 'utf8' }).stdout.trim();
}

describe('a file descriptor that the parent shell left open', () => {
  it('is inherited by a child process by default', () => {
    expect(inheritedByChild('')).toContain('62');
  });

  it('is not inherited by a child process of a service', () => {
    expect(inheritedByChild(`const { closeInherited } = await import('${MODULE}'); closeInherited();`)).toBe('');
  });
});
