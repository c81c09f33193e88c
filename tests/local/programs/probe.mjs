// A program to supervise: node probe.mjs PORT [MODE] [FILE]. It serves on the port, does what the mode says, and writes
// its mode to the file when it is told to stop.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, mode, stops] = process.argv.slice(2);

if (mode === 'broken') {
  console.error('no such table: people');
  process.exit(3);
}
if (mode === 'with-child') {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 600_000)'], { stdio: 'ignore' });
  console.log(JSON.stringify({ level: 'info', message: 'has a child', child: child.pid }));
}

const server = createServer((request, response) => {
  if (request.url === '/die') process.exit(1);
  if (request.url === '/talk')
    for (let n = 0; n < 100; n += 1) console.log(JSON.stringify({ message: 'x'.repeat(100), n }));
  response.statusCode = mode === 'never-ready' ? 503 : 200;
  response.end('ok');
});
server.listen(Number(port), '127.0.0.1');
console.log(JSON.stringify({ level: 'warn', message: 'nearly full', percent: 93 }));

process.on('SIGTERM', () => {
  if (mode === 'stubborn') return;
  if (stops) appendFileSync(stops, `${mode}\n`);
  process.exit(0);
});
