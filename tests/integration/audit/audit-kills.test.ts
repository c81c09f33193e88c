import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appendAudit } from '@signalbox/store/audit/audit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadTestConfig } from '../../support/config.ts';
import { exampleEvent, openAuditHarness, type AuditHarness } from './harness.ts';

const PROGRAM = fileURLToPath(new URL('sealer-program.ts', import.meta.url));
const KILLS = 5;

let harness: AuditHarness;
beforeEach(async () => void (harness = await openAuditHarness()));
afterEach(() => harness.close());

function startSealer(): { readonly child: ChildProcess; readonly ready: Promise<void>; readonly gone: Promise<void> } {
  const words = [
    '--conditions=source',
    '--import',
    'tsx',
    PROGRAM,
    harness.databaseUrl,
    join(harness.dir, 'key.pem'),
    harness.file,
  ];
  const child = spawn(process.execPath, words, {
    env: { PATH: loadTestConfig().path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
  return { child, ready: Promise.race([ready, gone]), gone };
}

it(
  'an audit sealer that is killed at any moment leaves a history that the next sealer can continue',
  { timeout: 180_000 },
  async () => {
    writeFileSync(join(harness.dir, 'key.pem'), String(harness.key.export({ type: 'pkcs8', format: 'pem' })), {
      mode: 0o600,
    });
    let recorded = 0;
    let stopping = false;
    const appending = (async () => {
      while (!stopping) {
        await appendAudit(harness.pool, [exampleEvent(++recorded), exampleEvent(++recorded)]);
        await new Promise((resolve) => setTimeout(resolve, 2)); // else it would only wait for itself
      }
    })();
    const sealedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ready, gone } = startSealer();
      await ready;
      const target = (sealedAt.at(-1) ?? 0) + 20 + 37 * kill;
      // In the middle of its work: it has sealed some, and more comes all the time.
      let sealed = 0;
      while (sealed < target) {
        const { rows } = await harness.owner.query<{ n: number }>('select count(*)::int as n from audit_chain');
        sealed = rows[0]?.n ?? 0;
      }
      child.kill('SIGKILL');
      await gone;
      sealedAt.push(sealed);
    }
    stopping = true;
    await appending;
    await harness.sealAll();
    expect(await harness.verify()).toEqual({ ok: true, events: recorded, covered: recorded, finding: null });
    expect(sealedAt.every((count) => count < recorded)).toBe(true);
  },
);
