// Writes .env for docker compose: .env.example with a new secret for each that is empty. What an .env that is there says stays; what it
// lacks is added. Needs Node and nothing else: docker run --rm -v "$PWD:/here" -w /here node:20-bookworm-slim node infra/docker/make-env.mjs
import { createPrivateKey, createPublicKey, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const example = readFileSync('.env.example', 'utf8');
const before = existsSync('.env') ? readFileSync('.env', 'utf8') : example;
const has = (name) => new RegExp(`^${name}=`, 'm').test(before);
const missing = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name).filter((name) => !has(name));
const ended = before.endsWith('\n') ? before : `${before}\n`;
const whole = missing.reduce((text, name) => `${text}${name}=\n`, ended);
const made = [];
const text = whole.replaceAll(
  /^(POSTGRES_PASSWORD|(?:DATABASE|REDIS)_PASSWORD(?:_[A-Z]+)?|SECRETS_KEY)=$/gm,
  (_, name) => {
    made.push(name);
    return `${name}=${name === 'SECRETS_KEY' ? randomBytes(32).toString('base64') : randomBytes(24).toString('hex')}`;
  },
);
const [, secretsKey = ''] = /^SECRETS_KEY=(.+)$/m.exec(text) ?? [];
const sealed = text.replace(/^SECRETS_SEALING_KEY=$/m, () => `SECRETS_SEALING_KEY=${sealingKeyOf(secretsKey)}`);
writeFileSync('.env', sealed, { mode: 0o600 });
console.log(made.length === 0 ? '.env has all of its secrets.' : `.env has new secrets: ${made.join(', ')}`);
if (/^TELEGRAM_BOT_TOKEN=$/m.test(text)) console.log('Put what @BotFather gave you into it as TELEGRAM_BOT_TOKEN.');

/** As shared/safety/src/secrets/key-pair.ts makes it, which a test compares: the public key, and the key of the marks. */
function sealingKeyOf(text) {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  const derive = (purpose) => Buffer.from(hkdfSync('sha256', key, '', `signalbox secrets: ${purpose}`, 32));
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), derive('box key')]);
  const open = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return Buffer.concat([open.export({ format: 'der', type: 'spki' }).subarray(-32), derive('mark')]).toString('base64');
}
