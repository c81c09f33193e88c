// A program to supervise: it serves on PROBE_PORT and does what PROBE_MODE says.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { PROBE_PORT, PROBE_MODE, PROBE_NAME, PROBE_STOPS } = process.env;

if (PROBE_MODE === 'broken') {
  console.error('no such table: people');
  process.exit(3);
}
if (PROBE_MODE === 'with-child') {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 600_000)'], { stdio: 'ignore' });
  console.log(JSON.stringify({ level: 30, msg: 'has a child', child: child.pid }));
}

const server = createServer((request, response) => {
  if (request.url === '/die') process.exit(1);
  response.statusCode = PROBE_MODE === 'never-ready' ? 503 : 200;
  response.end('ok');
});
server.listen(Number(PROBE_PORT), '127.0.0.1');
console.log(JSON.stringify({ level: 40, time: Date.now(), msg: 'nearly full', percent: 93 }));

process.on('SIGTERM', () => {
  if (PROBE_MODE === 'stubborn') return;
  if (PROBE_STOPS) appendFileSync(PROBE_STOPS, `${PROBE_NAME}\n`);
  process.exit(0);
});
