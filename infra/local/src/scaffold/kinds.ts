import { AGENT } from './agent-kind.ts';
import { CAPABILITY } from './capability-kind.ts';
import { CHANNEL } from './channel-kind.ts';
import { DRIVER } from './driver-kind.ts';
import { planPlugin } from './plugin-kind.ts';
import type { Refused, Scaffold, ScaffoldKind } from './scaffold.ts';

/** An agent that keeps something of its own is a plug-in. */
const WITH_TABLE = '--with-table';
const KINDS: readonly ScaffoldKind[] = [CHANNEL, AGENT, CAPABILITY, DRIVER];

/** Plans the files of `npm run new -- <words>`, without writing. */
export function planScaffold(checkout: string, words: readonly string[]): Scaffold | Refused {
  const [wanted, name, ...rest] = words;
  const kind = KINDS.find((known) => known.name === wanted);
  if (!kind) return { problem: [wanted === undefined ? USAGE : `There is no '${wanted}' to make.`, KNOWN].join('\n') };
  if (kind === AGENT && name !== undefined && rest.join() === WITH_TABLE) return planPlugin(checkout, name);
  if (name === undefined || rest.length > 0)
    return { problem: `Write: npm run new -- ${kind.name} <name>${kind === AGENT ? ` [${WITH_TABLE}]` : ''}` };
  return kind.plan(checkout, name);
}

const USAGE = 'Write: npm run new -- <kind> <name>';
const WIDTH = Math.max(...KINDS.map(({ name }) => name.length));
const KNOWN = [
  'These are made:',
  ...KINDS.map(({ name, what }) => `  ${name.padEnd(WIDTH)}  ${what}`),
  'docs/extending.md has a recipe for everything else.',
].join('\n');
