// Writes .env for docker compose: a copy of .env.example with a random value for each empty secret. An existing .env keeps its values and
// gets the missing variables. Needs only Node: docker run --rm -v "$PWD:/here" -w /here node:26-bookworm-slim node infra/docker/make-env.mjs
import { createPrivateKey, createPublicKey, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const example = readFileSync('.env.example', 'utf8');
const current = existsSync('.env') ? readFileSync('.env', 'utf8') : example;
const has = (name) => new RegExp(`^${name}=`, 'm').test(current);
const missing = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name).filter((name) => !has(name));
const lines = current.endsWith('\n') ? current : `${current}\n`;
const complete = missing.reduce((text, name) => `${text}${name}=\n`, lines);
const generated = [];
const text = complete.replaceAll(
  /^(POSTGRES_PASSWORD|(?:DATABASE|REDIS)_PASSWORD(?:_[A-Z]+)?|SECRETS_KEY)=$/gm,
  (_, name) => {
    generated.push(name);
    return `${name}=${name === 'SECRETS_KEY' ? randomBytes(32).toString('base64') : randomBytes(24).toString('hex')}`;
  },
);
const [, secretsKey = ''] = /^SECRETS_KEY=(.+)$/m.exec(text) ?? [];
const sealed = text.replace(/^SECRETS_SEALING_KEY=$/m, () => `SECRETS_SEALING_KEY=${sealingKeyOf(secretsKey)}`);
writeFileSync('.env', sealed, { mode: 0o600 });
console.log(generated.length === 0 ? '.env has all of its secrets.' : `.env has new secrets: ${generated.join(', ')}`);
if (/^TELEGRAM_BOT_TOKEN=$/m.test(text)) console.log('Put what @BotFather gave you into it as TELEGRAM_BOT_TOKEN.');

/** Derives the sealing key as shared/safety/src/secrets/key-pair.ts does; a test compares both. */
function sealingKeyOf(text) {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  const derive = (purpose) => Buffer.from(hkdfSync('sha256', key, '', `signalbox secrets: ${purpose}`, 32));
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), derive('box key')]);
  const open = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.concat([open.export({ format: 'der', type: 'spki' }).subarray(-32), derive('mark')]).toString('base64');
}
