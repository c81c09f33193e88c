/*
 * Where the CPU of a turn goes: profiles the gateway and the worker while 32 people write, and draws a flame graph of each to docs/images/.
 * Prints whose code took which share. The shares are of the busy time, whichever the machine.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawFlameGraph, sharesOf } from './peers/flame-graph.ts';
import { KINDS, textOf } from './peers/model-script.ts';
import { openPeers } from './peers/stack.ts';

const PEOPLE = 32;
const TURNS_EACH = 8;
/** Smaller ones are left out of the table. */
const LEAST_SHARE = 0.01;

const dir = mkdtempSync(join(tmpdir(), 'signalbox-profile-'));
const peers = await openPeers(dir, { profileTo: dir });
const { load, cpu, cpuBy } = peers.product;
/** Milliseconds of CPU per turn: a row for each kind of turn, a column for each process. */
const run = async () => {
  const rows = [];
  for (const kind of KINDS) {
    const ids = peers.nextPeople(PEOPLE);
    await load.addPeople(ids);
    const before: Readonly<Record<string, number>> = cpuBy();
    await load.run(ids, { turnsEach: TURNS_EACH, text: (n) => textOf(kind, n) }, cpu);
    const perTurn = Object.entries(cpuBy()).map(([name, ms]) => [
      name,
      Math.round(((ms - (before[name] ?? 0)) / PEOPLE / TURNS_EACH) * 10) / 10,
    ]);
    rows.push({ kind, ...Object.fromEntries(perTurn) });
    await peers.removeProjects();
  }
  return rows;
};
await run(); // the engine compiles what is hot
const begun = performance.now();
const rows = await run();
const loadMs = performance.now() - begun;
await peers.close();
console.log('\nms of CPU per turn');
console.table(rows);
for (const service of ['gateway', 'worker'] as const) {
  const file = readdirSync(dir).find((name) => name.startsWith(service) && name.endsWith('.cpuprofile')) ?? '';
  const profile: unknown = JSON.parse(readFileSync(join(dir, file), 'utf8'));
  const shares = sharesOf(profile, loadMs).filter(([, share]) => share >= LEAST_SHARE);
  console.log(`\n${service}`);
  console.table(shares.map(([home, share]) => ({ home, 'share %': Math.round(share * 1_000) / 10 })));
  const title = `${service}: ${PEOPLE} people, a third of the turns each without a tool, with a read, with a change`;
  writeFileSync(`docs/images/flame-${service}.svg`, drawFlameGraph(profile, loadMs, title));
}
rmSync(dir, { recursive: true, force: true });
process.exit(0);
