// Supervises one program: node supervise.ts FOLDER MAIN PORT. It says on standard output what it started, as JSON.
// When it is asked for it by SIGUSR2, it breaks with an exception that nobody catches.
import { join } from 'node:path';
import { startPostgres } from '@signalbox/local/postgres/postgres';
import { startRedis } from '@signalbox/local/redis/redis';
import { createSupervisor } from '@signalbox/local/supervisor/supervisor';

const [folder = '', main = '', port = '', binDir = '', path = ''] = process.argv.slice(2);
const pids: number[] = [];
const supervisor = createSupervisor({ report: () => undefined, onChange: () => undefined });
await supervisor.start({
  name: 'probe',
  args: [main, port],
  main,
  env: {},
  readyUrl: `http://127.0.0.1:${port}/readyz`,
  logFile: join(folder, 'probe.log'),
});
pids.push(...supervisor.services().map(({ pid }) => pid));
if (binDir !== '') {
  pids.push((await startPostgres({ dir: join(folder, 'postgres'), settings: { fsync: 'off' } })).pid);
  pids.push((await startRedis({ dir: join(folder, 'redis'), binDir, path })).pid);
}
process.stdout.write(`${JSON.stringify(pids)}\n`);
process.on('SIGUSR2', () => {
  throw new Error('nobody expected this');
});
setInterval(() => undefined, 60_000);
