import { AGENT_SCAFFOLD } from './agent-kind.ts';
import { CAPABILITY_SCAFFOLD } from './capability-kind.ts';
import { CHANNEL_SCAFFOLD } from './channel-kind.ts';
import { DRIVER_SCAFFOLD } from './driver-kind.ts';
import { PLUGIN_SCAFFOLD } from './plugin-kind.ts';
import { findNameProblem, type RefusedScaffold, type Scaffold, type ScaffoldKind } from './scaffold.ts';

/** Flag of `npm run new -- agent`: the agent becomes a plug-in with tables. */
const WITH_TABLE = '--with-table';
const KINDS: readonly ScaffoldKind[] = [CHANNEL_SCAFFOLD, AGENT_SCAFFOLD, CAPABILITY_SCAFFOLD, DRIVER_SCAFFOLD];

/** Plans the files of `npm run new -- <kind> <name>`. Writes nothing. */
export function planScaffold(checkout: string, args: readonly string[]): Scaffold | RefusedScaffold {
  const [wanted, name, ...rest] = args;
  const withTable = wanted === 'agent' && rest.join() === WITH_TABLE;
  const kind = withTable ? PLUGIN_SCAFFOLD : KINDS.find((known) => known.name === wanted);
  if (!kind) return { problem: [wanted === undefined ? USAGE : `There is no '${wanted}' to make.`, KNOWN].join('\n') };
  if (name === undefined || (rest.length > 0 && !withTable))
    return { problem: `Write: npm run new -- ${kind.name} <name>${kind === AGENT_SCAFFOLD ? ` [${WITH_TABLE}]` : ''}` };
  const problem = findNameProblem(kind, checkout, name);
  return problem === null ? kind.plan(checkout, name) : { problem };
}

const USAGE = 'Write: npm run new -- <kind> <name>';
const WIDTH = Math.max(...KINDS.map(({ name }) => name.length));
const KNOWN = [
  'These are made:',
  ...KINDS.map(({ name, description }) => `  ${name.padEnd(WIDTH)}  ${description}`),
  'docs/extending.md has a recipe for everything else.',
].join('\n');
