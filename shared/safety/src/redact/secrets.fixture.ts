/** A made-up secret, in the place where a real one would stand. */
export interface Canary {
  readonly kind: string;
  /** What must be found nowhere. */
  readonly secret: string;
  readonly text: string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The same characters for the same seed, in no order that a person sees. At least one digit is among them. */
function draw(seed: number, length: number, alphabet: string): string {
  let state = (seed + 1) * 2_654_435_761;
  let out = '';
  for (let place = 0; place < length; place += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out += alphabet[(state >>> 8) % alphabet.length];
  }
  return alphabet.includes('7') ? `${out.slice(0, 2)}7${out.slice(3)}` : out;
}

/**
 * One canary of each kind. `seed` gives others of the same kinds. They are put together here out of pieces, so that no scanner of
 * repositories takes them for real ones.
 */
export function makeCanaries(seed = 0): readonly Canary[] {
  let drawn = seed * 1_000;
  const any = (length: number): string => draw(drawn++, length, LETTERS);
  const upper = (length: number): string => draw(drawn++, length, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
  const hex = (length: number): string => draw(drawn++, length, '0123456789abcdef');
  const digits = (length: number): string => draw(drawn++, length, '0123456789');
  const alone = (kind: string, ...parts: readonly string[]): Canary => {
    const secret = parts.join('');
    return { kind, secret, text: secret };
  };
  const inside = (kind: string, secret: string, before: string, after = ''): Canary => {
    return { kind, secret, text: `${before}${secret}${after}` };
  };
  const pem = (name: string): string => {
    const lines = [any(64), any(64), `${any(38)}==`];
    return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`].join('\n');
  };
  const block = (kind: string, name: string): Canary => {
    const text = pem(name);
    return { kind, secret: text.split('\n')[2] ?? '', text };
  };
  return [
    alone('aws-key', 'AK', 'IA', upper(16)),
    inside('aws-secret', any(40), 'aws_secret_access_key = '),
    alone('gcp-key', 'AI', 'za', any(35)),
    inside(
      'private-key',
      any(64),
      '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\n',
      '\\n-----END PRIVATE KEY-----\\n"}',
    ),
    inside('azure-key', `${any(86)}==`, 'AccountName=shop;AccountKey=', ';EndpointSuffix=core.windows.net'),
    alone('github-token', 'gh', 'p_', any(36)),
    alone('github-token', 'gh', 'o_', any(36)),
    alone('github-token', 'gh', 's_', any(36)),
    alone('github-token', 'github', '_pat_', any(22), '_', any(59)),
    alone('gitlab-token', 'gl', 'pat-', any(20)),
    alone('slack-token', 'xo', 'xb-', digits(12), '-', digits(12), '-', any(24)),
    alone('slack-webhook', 'hooks.slack', '.com/services/T', upper(8), '/B', upper(8), '/', any(24)),
    alone('stripe-key', 'sk', '_live_', any(24)),
    alone('stripe-key', 'rk', '_live_', any(24)),
    inside('twilio-key', hex(32), 'TWILIO_AUTH_TOKEN='),
    alone('sendgrid-key', 'S', 'G.', any(22), '.', any(43)),
    alone('mailgun-key', 'ke', 'y-', hex(32)),
    alone('npm-token', 'np', 'm_', any(36)),
    inside('npm-token', any(36), '//registry.example.com/:_authToken='),
    alone('pypi-token', 'pypi', '-AgEIcHlwaS5vcmc', any(60)),
    alone('docker-token', 'dckr', '_pat_', any(27)),
    alone('telegram-token', digits(10), ':A', 'A', any(33)),
    alone('discord-token', 'M', any(23), '.', any(6), '.', any(27)),
    alone('openai-key', 'sk', '-proj-', any(48)),
    alone('openai-key', 'sk', '-', any(48)),
    alone('anthropic-key', 'sk', '-ant-api03-', any(80)),
    alone('huggingface-token', 'h', 'f_', any(34)),
    alone('digitalocean-token', 'do', 'p_v1_', hex(64)),
    inside('heroku-key', `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`, 'HEROKU_API_KEY='),
    alone('vault-token', 'hv', 's.', any(24)),
    alone('terraform-token', any(14), '.atlas', 'v1.', any(60)),
    alone('databricks-token', 'da', 'pi', hex(32)),
    alone('grafana-token', 'gl', 'sa_', any(32), '_', hex(8)),
    alone('sentry-token', 'sntr', 'ys_', any(60)),
    alone('newrelic-key', 'NR', 'AK-', upper(27)),
    inside('datadog-key', hex(32), 'DD_API_KEY='),
    inside('cloudflare-key', any(40), 'CLOUDFLARE_API_TOKEN='),
    alone('shopify-token', 'shp', 'at_', hex(32)),
    alone('square-token', 'sq0', 'atp-', any(22)),
    block('private-key', 'RSA PRIVATE KEY'),
    block('private-key', 'EC PRIVATE KEY'),
    block('private-key', 'OPENSSH PRIVATE KEY'),
    block('private-key', 'PGP PRIVATE KEY BLOCK'),
    alone('jwt', 'ey', 'J', any(30), '.ey', 'J', any(60), '.', any(43)),
    inside('url-password', any(16), 'postgres://app:', '@db.internal:5432/shop'),
    inside('url-password', any(16), 'redis://:', '@cache:6379/0'),
    inside('url-password', any(16), 'https://deploy:', '@git.example.com/shop.git'),
    inside('bearer-token', any(40), 'Authorization: Bearer '),
    inside('auth-header', Buffer.from(`ada:${any(18)}`).toString('base64'), 'Authorization: Basic '),
    inside('password', any(14), 'DB_PASSWORD='),
    inside('password', any(14), 'pwd: '),
    inside('secret', any(14), 'client:\n  secret: '),
    inside('token', any(14), '{"token": "', '"}'),
    inside('password', any(14), 'mysqldump --user root --password ', ' shop'),
    inside('password', any(14), 'by the way, the password is '),
    inside('netrc-password', any(14), 'machine git.example.com login ada password '),
    inside('private-key', any(120), 'client-key-data: '),
    alone('age-key', 'AGE-SECRET-', 'KEY-1', upper(58)),
    inside('azure-sas', any(43), 'https://shop.blob.core.windows.net/files?sv=2024-11-04&sig=', '&se=2026'),
  ];
}

/** Numbers with right check digits that issuers publish for tests. */
export const NUMBERS: readonly Canary[] = [
  { kind: 'card-number', secret: '4111 1111 1111 1111', text: 'pay with 4111 1111 1111 1111 please' },
  { kind: 'card-number', secret: '378282246310005', text: 'card 378282246310005' },
  { kind: 'iban', secret: 'DE89 3704 0044 0532 0130 00', text: 'to DE89 3704 0044 0532 0130 00' },
  { kind: 'iban', secret: 'GB82WEST12345698765432', text: 'IBAN GB82WEST12345698765432' },
];
