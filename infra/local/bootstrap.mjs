// Entry point of every npm script. It runs before dependencies are installed, so it uses Node's modules only.
import { fileURLToPath } from 'node:url';
import { buildServices } from './build.mjs';
import { planCommand } from './commands.mjs';
import { installDependencies } from './install.mjs';
import { fetchNode, judgeNode, useNode } from './node.mjs';
import { runChecks, runInForeground, runInSequence } from './run-commands.mjs';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

const result = await begin();
if (typeof result === 'string') console.error(result);
process.exitCode = typeof result === 'string' ? 1 : result;

/** @returns {Promise<number | string>} an exit code, or a message for the person */
async function begin() {
  process.chdir(checkout);
  const [command = '', ...args] = process.argv.slice(2);
  const plan = planCommand(command, args, checkout, process.env);
  if ('problem' in plan) return plan.problem;
  const verdict = judgeNode(process.versions.node);
  if (verdict === 'use') return run(plan);
  return verdict === 'fetch' ? runWithFetchedNode() : verdict.problem;
}

/** Runs this file again, so that everything is run by the fetched Node. */
async function runWithFetchedNode() {
  const fetched = await fetchNode(checkout, process.env);
  if ('problem' in fetched) return fetched.problem;
  const env = useNode(fetched.folder, process.env);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  return runInForeground({ title: 'launcher', args, env, node: env.npm_node_execpath });
}

/** @param {import('./commands.mjs').Plan} plan */
async function run(plan) {
  const failure = await installDependencies(checkout, process.env);
  if (failure !== null) return failure;
  // Progress goes to standard error: scripts parse the standard output of `npm run signalbox -- … --json`.
  const refused = plan.needsBuild ? await buildServices(checkout, console.error) : null;
  if (refused !== null) return refused;
  switch (plan.mode) {
    case 'replace':
      return runInForeground(plan.steps[0]);
    case 'in-turn':
      return runInSequence(plan.steps);
    default:
      return runChecks(plan.steps);
  }
}
