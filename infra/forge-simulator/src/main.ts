#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { loadConfig } from './config.ts';
import { createAppKey, createForgeSimulator } from './server.ts';

const { port, hookUrl, keyFile, sourcesFile } = loadConfig();
const secret = prepareSource();
const simulator = await createForgeSimulator({ port, key: prepareKey(), hook: { url: hookUrl, secret } });
process.stdout.write(`GitHub simulator at ${simulator.url}; webhooks go to ${hookUrl}.
Start Signalbox with these variables, in .env or before the command:

GITHUB_API=${simulator.url}
GITHUB_APP_ID=${simulator.app.id}
GITHUB_APP_KEY_FILE=${keyFile}

Then let a deployment wait, and look what became of it:

curl -s ${simulator.url}/play/ask -d '{"environment": "staging", "actor": "ada", "message": "Show prices with tax"}'
curl -s ${simulator.url}/play/runs
`);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void simulator.close().then(() => process.exit(0)));

/** Reads the key of the App, or makes one. */
function prepareKey(): string {
  if (!existsSync(keyFile)) {
    mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
    writeFileSync(keyFile, createAppKey(), { mode: 0o600 });
  }
  return readFileSync(keyFile, 'utf8');
}

/** Reads the secret of the source `github`, or adds the source: Signalbox reads the file at its next start. */
function prepareSource(): string {
  const text = existsSync(sourcesFile) ? readFileSync(sourcesFile, 'utf8') : '[]';
  const sources = JSON.parse(text) as { name: string; secret: string }[]; // Signalbox checks the file
  const known = sources.find(({ name }) => name === 'github');
  if (known) return known.secret;
  const source = { name: 'github', kind: 'github', gates: true, secret: randomBytes(24).toString('hex') };
  mkdirSync(dirname(sourcesFile), { recursive: true, mode: 0o700 });
  writeFileSync(sourcesFile, `${JSON.stringify([...sources, source], null, 2)}\n`, { mode: 0o600 });
  return source.secret;
}
