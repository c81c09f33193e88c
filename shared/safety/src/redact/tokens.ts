import type { CharClass, SecretMatch } from './found.ts';
import { createRunEndFinder } from './found.ts';

/** A kind of token, recognized by its prefix. */
interface TokenKind {
  readonly kind: string;
  readonly prefixes: readonly string[];
  readonly chars: CharClass;
  /** Minimum length after the prefix. */
  readonly min: number;
  /** Maximum length after the prefix; a longer run is no token of this kind. */
  readonly max?: number;
}

const token = (kind: string, prefixes: string, chars: CharClass, min: number, max?: number): TokenKind => ({
  kind,
  prefixes: prefixes.split(' '),
  chars,
  min,
  ...(max === undefined ? {} : { max }),
});

/** Token formats from the issuers' documentation; minimum lengths are slightly lower, because issuers change them. */
const TOKENS: readonly TokenKind[] = [
  token('aws-key', 'AKIA ASIA ABIA ACCA', 'upper', 16, 16),
  token('gcp-key', 'AIza', 'dash', 30, 40),
  token('gcp-oauth', 'ya29.', 'dotted', 20),
  token('google-client', 'GOCSPX-', 'dash', 24),
  token('alibaba-key', 'LTAI', 'alnum', 12, 24),
  token('tencent-key', 'AKID', 'alnum', 32, 40),
  token('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'alnum', 30),
  token('github-token', 'github_pat_', 'word', 50),
  token('gitlab-token', 'glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent- gloas-', 'dash', 18),
  token('gitlab-token', 'GR1348941', 'dash', 20),
  token('bitbucket-token', 'ATBB', 'alnum', 28),
  token('atlassian-token', 'ATATT3', 'base64', 40),
  token('slack-token', 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb- xapp-', 'dash', 10),
  token('slack-webhook', 'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/', 'path', 20),
  token('discord-webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', 'path', 40),
  token('stripe-key', 'sk_live_ rk_live_ sk_test_ rk_test_', 'alnum', 16),
  token('stripe-webhook', 'whsec_', 'base64', 24),
  token('twilio-key', 'SK', 'hex', 32, 32),
  token('sendgrid-key', 'SG.', 'dotted', 60),
  token('mailgun-key', 'key-', 'hex', 32, 32),
  token('npm-token', 'npm_', 'alnum', 34),
  token('pypi-token', 'pypi-AgE', 'dash', 30),
  token('docker-token', 'dckr_pat_ dckr_oat_', 'dash', 20),
  token('anthropic-key', 'sk-ant-', 'dash', 20),
  token('openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-None-', 'dash', 20),
  token('openrouter-key', 'sk-or-v1-', 'hex', 40),
  token('openai-key', 'sk-', 'alnum', 32),
  token('huggingface-token', 'hf_', 'alnum', 30),
  token('groq-key', 'gsk_', 'alnum', 40),
  token('xai-key', 'xai-', 'alnum', 60),
  token('perplexity-key', 'pplx-', 'alnum', 40),
  token('replicate-token', 'r8_', 'alnum', 35),
  token('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', 'hex', 60),
  token('heroku-key', 'HRKU-', 'dash', 30),
  token('vault-token', 'hvs. hvb. hvr.', 'dash', 20),
  token('databricks-token', 'dapi', 'hex', 32, 32),
  token('grafana-token', 'glsa_', 'word', 36),
  token('grafana-token', 'glc_ eyJrIjoi', 'base64', 30),
  token('sentry-token', 'sntrys_', 'base64', 40),
  token('sentry-token', 'sntryu_', 'hex', 60),
  token('newrelic-key', 'NRAK- NRII- NRJS- NRRA-', 'dash', 19),
  token('cloudflare-key', 'v1.0-', 'dash', 100),
  token('cloudflare-key', 'cfut_ cfat_ cfk_', 'dash', 40),
  token('shopify-token', 'shpat_ shpca_ shppa_ shpss_', 'hex', 32),
  token('square-token', 'sq0atp- sq0csp-', 'dash', 22),
  token('square-token', 'EAAA', 'dash', 56, 64),
  token('facebook-token', 'EAA', 'alnum', 90),
  token('paypal-token', 'access_token$production$ access_token$sandbox$', 'word', 20),
  token('age-key', 'AGE-SECRET-KEY-1', 'upper', 58),
  token('linear-key', 'lin_api_ lin_oauth_', 'alnum', 32),
  token('notion-token', 'ntn_', 'alnum', 40),
  token('notion-token', 'secret_', 'alnum', 43, 43),
  token('figma-token', 'figd_', 'dash', 30),
  token('postman-key', 'PMAK-', 'dash', 50),
  token('airtable-token', 'pat', 'dotted', 79, 79),
  token('doppler-token', 'dp.pt. dp.st. dp.sa. dp.ct.', 'dotted', 40),
  token('fly-token', 'fm2_ fm1r_ fo1_', 'base64', 40),
  token('pulumi-token', 'pul-', 'hex', 40, 40),
  token('rubygems-key', 'rubygems_', 'hex', 48),
  token('circleci-token', 'CCIPAT_', 'word', 40),
  token('netlify-token', 'nfp_', 'alnum', 30),
  token('supabase-token', 'sbp_', 'hex', 40),
  token('planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 'dotted', 30),
  token('clojars-token', 'CLOJARS_', 'hex', 60),
  token('tailscale-key', 'tskey-auth- tskey-api- tskey-client- tskey-scim-', 'dash', 20),
  token('dynatrace-token', 'dt0c01. dt0s01. dt0s02.', 'dotted', 60),
  token('contentful-token', 'CFPAT-', 'dash', 40),
  token('easypost-key', 'EZAK', 'alnum', 54),
  token('mapbox-token', 'sk.eyJ', 'dotted', 60),
  token('onepassword-token', 'ops_eyJ', 'base64', 100),
  token('yandex-key', 'AQVN', 'dash', 35, 38),
];

const BY_PREFIX = new Map<string, TokenKind>();
for (const kind of TOKENS) for (const prefix of kind.prefixes) BY_PREFIX.set(prefix, kind);

const escape = (text: string): string => text.replace(/[.$/]/g, '\\$&');
const ANY_PREFIX = new RegExp(
  // Longer prefixes come first: `sk-ant-` before `sk-`. A prefix after a letter or digit is part of a word.
  `(?<![A-Za-z0-9])(?:${[...BY_PREFIX.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map(escape)
    .join('|')})`,
  'g',
);

/** Finds tokens by their issuer's prefix. Linear time. */
export function findTokens(text: string): readonly SecretMatch[] {
  const matches: SecretMatch[] = [];
  const runEnd = createRunEndFinder(text);
  let digit = -1;
  ANY_PREFIX.lastIndex = 0;
  for (let match = ANY_PREFIX.exec(text); match; match = ANY_PREFIX.exec(text)) {
    const tokenKind = BY_PREFIX.get(match[0]);
    if (!tokenKind) continue;
    const begin = match.index + match[0].length;
    const end = runEnd(begin, tokenKind.chars);
    const length = end - begin;
    if (length < tokenKind.min || (tokenKind.max !== undefined && length > tokenKind.max)) continue;
    // A run of characters that ends within a word is part of a longer word.
    if (tokenKind.max !== undefined && /[A-Za-z0-9]/.test(text.charAt(end))) continue;
    // Tokens are random, so they contain a digit; letters alone are a word.
    if (digit < begin) digit = findNextDigit(text, begin);
    if (digit >= end) continue;
    matches.push({ kind: tokenKind.kind, start: match.index, end });
    ANY_PREFIX.lastIndex = end;
  }
  return matches;
}

const DIGIT = /\d/g;

function findNextDigit(text: string, from: number): number {
  DIGIT.lastIndex = from;
  return DIGIT.exec(text)?.index ?? text.length;
}
