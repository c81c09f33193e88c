// Entry point of every npm script. It runs before dependencies are installed, so it uses Node's modules only.
import { fileURLToPath } from 'node:url';
import { buildServices } from './build.mjs';
import { describeNodeProblem, planCommand } from './commands.mjs';
import { installDependencies } from './install.mjs';
import { runAndReplace, runChecks, runInTurn } from './run-commands.mjs';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

const problem = describeNodeProblem(process.versions.node) ?? (await main());
if (typeof problem === 'string') console.error(problem);
process.exitCode = typeof problem === 'string' ? 1 : problem;

/** @returns {Promise<number | string>} an exit code, or what went wrong */
async function main() {
  process.chdir(checkout);
  const [command = '', ...words] = process.argv.slice(2);
  const plan = planCommand(command, words, checkout, process.env);
  if ('problem' in plan) return plan.problem;
  const failure = await installDependencies(checkout, process.env);
  if (failure !== null) return failure;
  // Standard output belongs to the program: `npm run signalbox -- … --json` is read by others.
  const refused = plan.needsBuild ? await buildServices(checkout, console.error) : null;
  if (refused !== null) return refused;
  switch (plan.mode) {
    case 'replace':
      return runAndReplace(plan.steps[0]);
    case 'in-turn':
      return runInTurn(plan.steps);
    default:
      return runChecks(plan.steps);
  }
}
