/** The spelling of issuers' names. */
const SPELLED: Readonly<Record<string, string>> = {
  aws: 'AWS',
  gcp: 'Google Cloud',
  google: 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
  npm: 'npm',
  pypi: 'PyPI',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  xai: 'xAI',
  huggingface: 'Hugging Face',
  digitalocean: 'DigitalOcean',
  sendgrid: 'SendGrid',
  newrelic: 'New Relic',
  onepassword: '1Password',
  paypal: 'PayPal',
  planetscale: 'PlanetScale',
  circleci: 'CircleCI',
  rubygems: 'RubyGems',
  easypost: 'EasyPost',
  jwt: 'JSON web token',
  iban: 'bank account number',
  sas: 'signature',
  url: '',
  auth: 'authorization',
  netrc: '.netrc',
  age: 'age',
};
/** Words in names of secrets that stay lowercase. */
const WORDS = new Set(
  'key token secret password client oauth webhook private card number bearer header named account'.split(' '),
);

/** Returns a kind of secret in words for people: `aws-key` becomes `AWS key`. */
export function describeKind(kind: string): string {
  return kind
    .split('-')
    .map((word) => SPELLED[word] ?? (WORDS.has(word) ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .filter((word) => word !== '')
    .join(' ');
}
