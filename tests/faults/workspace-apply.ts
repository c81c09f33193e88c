import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAgentBounds } from '@signalbox/contracts/governance/agent-bounds';
import { applyDiff } from '@signalbox/jobs/workspace/apply';
import { recoverJournal } from '@signalbox/jobs/workspace/journal';
import { openWorkspace } from '@signalbox/jobs/workspace/workspaces';

// A process of its own that applies a diff, and stops for good when it has come to a point for the nth time: it is killed there.
const [home = '', diff = '', what = '', stopAt = '', times = ''] = process.argv.slice(2);
const folder = await openWorkspace(home, 'thread-k');
if (!existsSync(join(folder.root, 'a.txt'))) {
  mkdirSync(join(folder.root, 'src'));
  writeFileSync(join(folder.root, 'a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
  writeFileSync(join(folder.root, 'src/b.txt'), 'alpha\nbeta\ngamma\n');
}
let left = Number(times);
const place = {
  ...folder,
  bounds: getAgentBounds('PERSON'),
  fits: async (): Promise<void> => undefined,
  reached: async (point: string): Promise<void> => {
    if (point !== stopAt) return;
    left -= 1;
    if (left > 0) return;
    process.stdout.write('reached\n');
    await new Promise((done) => setTimeout(done, 60_000));
  },
};
await recoverJournal(place);
if (what === 'apply') process.stdout.write(JSON.stringify(await applyDiff(place, place, 'act_killed', diff)));
