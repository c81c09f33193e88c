import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {import('./commands.mjs').Step} Step */

/**
 * Runs a program in the foreground and returns its exit code (128 + signal number when killed). The program handles Ctrl-C.
 * @param {Step} step
 */
export async function runInForeground(step) {
  const { code } = await run(step, 'inherit');
  return code;
}

/**
 * Runs programs one after another until one fails. Returns the last exit code.
 * @param {Step[]} steps
 */
export async function runInSequence(steps) {
  for (const step of steps) {
    console.log(`\n# ${step.title}`);
    const { code } = await run(step, 'inherit');
    if (code !== 0) return code;
  }
  return 0;
}

/** Two, because most checks keep one core busy and small machines have two cores. */
const CHECKS_AT_ONCE = 2;

/**
 * Runs all checks, two at a time, and shows the output of failed ones. Returns 1 when any failed.
 * @param {Step[]} steps
 */
export async function runChecks(steps) {
  const begin = Date.now();
  const failed = [];
  const waiting = [...steps];
  let interrupted = 0;
  const work = async () => {
    for (let step = waiting.shift(); step && interrupted === 0; step = waiting.shift()) {
      const result = await run(step, 'pipe');
      if (result.code !== 0) failed.push(step.title);
      console.log(`${result.code === 0 ? '✓' : '✗'} ${step.title.padEnd(16)} ${seconds(result.tookMs)}`);
      if (result.code !== 0) console.log(`${result.output.trimEnd()}\n`);
      if (result.interrupted) interrupted = result.code;
    }
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work));
  if (interrupted !== 0) return interrupted;
  const verdict = failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`;
  console.log(`${verdict} (${seconds(Date.now() - begin)})`);
  return failed.length === 0 ? 0 : 1;
}

function run(step, output) {
  const begin = Date.now();
  return new Promise((resolve) => {
    const child = spawn(step.node ?? process.execPath, step.args, {
      env: step.env,
      stdio: ['inherit', output, output],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
    const signals = forwardSignals(child);
    const finish = (code, extra = '') => {
      signals.stop();
      resolve({ code, output: text + extra, tookMs: Date.now() - begin, interrupted: signals.seen() });
    };
    child.on('error', (error) => finish(1, error.message));
    child.on('close', (code, signal) => finish(signal === null ? code : 128 + constants.signals[signal]));
  });
}

/**
 * Forwards termination signals to a child, except Ctrl-C at a terminal, which the child receives itself.
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} graceMs milliseconds after the signal before the child is killed
 */
export function forwardSignals(child, graceMs = Infinity) {
  let seen = false;
  let timer;
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const handler = () => {
      seen = true;
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      if (graceMs < Infinity) timer ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  const stop = () => {
    clearTimeout(timer);
    for (const remove of handlers) remove();
  };
  return { seen: () => seen, stop };
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
