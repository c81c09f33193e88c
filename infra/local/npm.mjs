import { spawn } from 'node:child_process';
import { forwardSignals } from './run-commands.mjs';

/**
 * Runs the npm that started this process, otherwise the one on PATH. Its output goes to standard error.
 * @param {readonly string[]} args
 * @param {{ cwd: string, environment: Record<string, string | undefined> }} place
 * @returns {Promise<'done' | 'failed' | 'interrupted' | { missing: string }>}
 */
export function runNpm(args, { cwd, environment }) {
  const npm = environment['npm_execpath'];
  const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  return new Promise((resolve) => {
    const options = { cwd, env: environment, stdio: ['ignore', process.stderr, process.stderr] };
    const child = spawn(program, [...first, ...args], options);
    const signals = forwardSignals(child, 2_000); // without the kill, npm would finish the installation first
    const finish = (/** @type {'done' | 'failed' | { missing: string }} */ result) => {
      signals.stop();
      resolve(signals.seen() ? 'interrupted' : result);
    };
    child.on('error', (error) => finish({ missing: `npm cannot be started: ${error.message}` }));
    child.on('close', (code) => finish(code === 0 ? 'done' : 'failed'));
  });
}
