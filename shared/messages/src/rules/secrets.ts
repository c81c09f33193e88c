import { say, type MessageKey } from '../say.ts';
import type { Rule, Rules } from './rule.ts';

const rule = (found: MessageKey, why: MessageKey): Rule => ({
  say: (values) => say(found, values),
  why: () => say(why),
});

/** By analyzer and rule: `secrets/private-key`. */
export const SECRETS_RULES = {
  'secrets/private-key': rule('rules-secrets.privateKey', 'rules-secrets.privateKeyWhy'),
  'secrets/credential': rule('rules-secrets.credential', 'rules-secrets.credentialWhy'),
  'secrets/url-password': rule('rules-secrets.urlPassword', 'rules-secrets.urlPasswordWhy'),
  'secrets/hardcoded': rule('rules-secrets.hardcoded', 'rules-secrets.hardcodedWhy'),
  'secrets/env-value': rule('rules-secrets.envValue', 'rules-secrets.envValueWhy'),
  'secrets/in-history': rule('rules-secrets.inHistory', 'rules-secrets.inHistoryWhy'),
} satisfies Rules;
