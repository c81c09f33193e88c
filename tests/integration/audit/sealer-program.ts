import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getKeyId } from '@signalbox/safety/audit/checkpoint';
import { openPool } from '@signalbox/store/pool';
import { createLog } from '@signalbox/platform/log';
import { Sealer } from '@signalbox/jobs/audit/audit-sealer';

// A sealer in a process of its own, to be killed: database URL, key file, checkpoint file.
const [databaseUrl = '', keyFile = '', file = ''] = process.argv.slice(2);
const log = createLog('sealer', 'silent');
const key = createPrivateKey(readFileSync(keyFile));
const sealer = new Sealer({
  pool: openPool(databaseUrl, log, { name: 'sealer', max: 1 }),
  key,
  keys: new Map([[getKeyId(key), createPublicKey(key)]]),
  file,
  checkpointEvents: 5,
  checkpointMs: 0,
  log,
});
process.stdout.write('ready\n');
for (;;) await sealer.step();
