import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRAM = `
  await import('./services/gateway/src/quick-wasm.ts');
  const { loadPolicySet, readPolicyFolder } = await import('@signalbox/safety/policy/policy-set');
  const { POLICY_FOLDER } = await import('@signalbox/safety/policy/settings');
  await loadPolicySet(await readPolicyFolder(POLICY_FOLDER), 'UTC');
`;

it('takes no time and memory to optimize the policy engine', { timeout: 60_000 }, () => {
  const out = execFileSync(
    process.execPath,
    ['--trace-wasm-compilation-times', '--conditions=source', '--import', 'tsx', '--input-type=module', '-e', PROGRAM],
    { encoding: 'utf8', maxBuffer: 10_000_000 },
  );
  expect(out).toMatch(/using liftoff/i);
  expect(out).not.toMatch(/using turbofan/i);
});
