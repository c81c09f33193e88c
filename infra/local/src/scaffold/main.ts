import { describeError } from '../describe-error.ts';
import { getCheckoutPath } from '../checkout.ts';
import { planScaffold } from './kinds.ts';
import { writeScaffold, type Scaffold } from './scaffold.ts';

// `npm run new -- <kind> <name>` writes the files of a new agent, capability, channel or driver.

const checkout = getCheckoutPath();
const plan = planScaffold(checkout, process.argv.slice(2));
if ('problem' in plan) refuse(plan.problem);
else make(plan);

function make(scaffold: Scaffold): void {
  try {
    writeScaffold(checkout, scaffold);
  } catch (error) {
    refuse(`Nothing was written. ${describeError(error)}`);
    return;
  }
  const { files, changes, next } = scaffold;
  const lines = [
    'Written:',
    ...files.map(({ path }) => `  ${path}`),
    ...(changes.length > 0 ? ['Changed:', ...changes.map(({ path }) => `  ${path}`)] : []),
    'Next:',
    ...next.map((line, place) => `  ${place + 1}. ${line}`),
  ];
  console.log(lines.join('\n'));
}

function refuse(problem: string): void {
  console.error(problem);
  process.exitCode = 1;
}
