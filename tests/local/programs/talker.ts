// A service that logs without pause: node talker.ts LINES_PER_ROUND. It says its port on standard error.
import { createLog } from '@signalbox/platform/log';
import { createMetrics, startProbe } from '@signalbox/platform/probe';

const linesPerRound = Number(process.argv[2]);
const log = createLog('talker', 'info');
const probe = await startProbe({
  host: '127.0.0.1',
  port: 0,
  log,
  metrics: createMetrics('talker'),
  problems: () => Promise.resolve([]),
});
process.stderr.write(`${probe.port}\n`);
const text = 'x'.repeat(200);
let n = 0;
setInterval(() => {
  for (let i = 0; i < linesPerRound; i += 1) log.info('said', { n: (n += 1), text });
}, 10);
process.on('SIGTERM', () => {
  log.info('last words');
  process.exit(0);
});
