import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ChainName } from '@signalbox/contracts/repository/chains';
import esbuild from 'esbuild';
import { z } from 'zod';

/** Inside the checkout, so that it finds the packages. */
const BUILT = '.signalbox/bench';

const Said = z.object({ ms: z.number(), status: z.string() });

/** Runs chains in a process of built code; each answers its milliseconds. */
export type ChainProcess = Awaited<ReturnType<typeof startChains>>;

export async function buildChains(): Promise<void> {
  const entryPoints = ['tests/bench/repository/chain-program.ts'];
  await esbuild.build({
    entryPoints,
    outdir: BUILT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
}

export function startChains(settings: Readonly<Record<string, unknown>>) {
  const child = spawn(process.execPath, [`${BUILT}/chain-program.js`, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let n = 0;
  return {
    run: async (project: string, chain: ChainName): Promise<z.infer<typeof Said>> => {
      child.stdin.write(`${JSON.stringify({ runId: `run-${child.pid}-${(n += 1)}`, project, chain })}\n`);
      const { done, value } = await lines.next();
      if (done === true) throw new Error('the process that runs chains has ended');
      const said = Said.parse(JSON.parse(value));
      if (said.status !== 'completed') throw new Error(`${chain} is ${said.status}`);
      return said;
    },
    stop: () => child.stdin.end(),
  };
}
