import { checkoutPath } from '../setup/checkout.ts';
import { planScaffold } from './kinds.ts';
import { writeScaffold } from './scaffold.ts';

// npm run new -- <kind> <name>

const checkout = checkoutPath();
const plan = planScaffold(checkout, process.argv.slice(2));
if ('problem' in plan) {
  console.error(plan.problem);
  process.exitCode = 1;
} else {
  writeScaffold(checkout, plan);
  console.log(['Written:', ...plan.files.map(({ path }) => `  ${path}`)].join('\n'));
  console.log(['Changed:', ...plan.additions.map(({ path }) => `  ${path}`)].join('\n'));
  console.log(['Next:', ...plan.next.map((line, place) => `  ${place + 1}. ${line}`)].join('\n'));
}
