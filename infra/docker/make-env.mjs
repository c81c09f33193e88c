// Writes .env for docker compose: .env.example with a new secret for each that is empty. What an .env that is there says stays; what it
// lacks is added. Needs Node and nothing else: docker run --rm -v "$PWD:/here" -w /here node:20-bookworm-slim node infra/docker/make-env.mjs
import { randomBytes } from 'node:crypto';
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
writeFileSync('.env', text, { mode: 0o600 });
console.log(made.length === 0 ? '.env has all of its secrets.' : `.env has new secrets: ${made.join(', ')}`);
if (/^TELEGRAM_BOT_TOKEN=$/m.test(text)) console.log('Put what @BotFather gave you into it as TELEGRAM_BOT_TOKEN.');
