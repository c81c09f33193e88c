import type { SecretMatch } from '@signalbox/safety/redact/found';

export interface Secret extends SecretMatch {
  readonly rule: 'private-key' | 'credential' | 'url-password' | 'hardcoded' | 'env-value';
  /** `form`: its format identifies the issuer. `name`: only its variable name marks it. */
  readonly certainty: 'form' | 'name';
  /** Name of the variable or key; empty when unknown. */
  readonly name: string;
  /** Normalized value, from which the identity is computed. */
  readonly value: string;
}
