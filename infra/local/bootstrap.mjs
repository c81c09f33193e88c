// Entry point of every npm script. It runs before dependencies are installed, so it uses Node's modules only.
import { fileURLToPath } from 'node:url';
import { buildServices } from './build.mjs';
import { describeNodeProblem, planCommand } from './commands.mjs';
import { installDependencies } from './install.mjs';
import { runChecks, runInForeground, runInSequence } from './run-commands.mjs';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

const problem = describeNodeProblem(process.versions.node) ?? (await main());
if (typeof problem === 'string') console.error(problem);
process.exitCode = typeof problem === 'string' ? 1 : problem;

/** @returns {Promise<number | string>} an exit code, or a message for the person */
async function main() {
  process.chdir(checkout);
  const [command = '', ...args] = process.argv.slice(2);
  const plan = planCommand(command, args, checkout, process.env);
  if ('problem' in plan) return plan.problem;
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
